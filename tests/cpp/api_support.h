// Shared by the tests of the public C++ API.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <heddle/heddle.h>

namespace heddle::testing {

inline std::vector<double> values(const array& a) { return a.to_vector<double>(); }

// Whether f throws exactly this kind of error, with this text in its message.
template <class Error, class F>
::testing::AssertionResult raises(F&& f, const std::string& text) {
  try {
    f();
  } catch (const Error& e) {
    if (std::string(e.what()).find(text) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the message is: " << e.what();
  } catch (const std::exception& e) {
    return ::testing::AssertionFailure() << "another error: " << e.what();
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace heddle::testing
