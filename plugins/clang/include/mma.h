#pragma once

#error "matrices of warps (nvcuda::wmma) need a GPU"
