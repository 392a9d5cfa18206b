#pragma once

// All of it is there without being included.
