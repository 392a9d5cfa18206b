// Arrays in files: NumPy's format, and bare bytes.
#include <heddle/io.h>

#include <filesystem>
#include <iostream>

#include <heddle/creation.h>
#include <heddle/errors.h>

using namespace heddle;

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "heddle_example_io";
  std::filesystem::create_directories(folder);

  save(folder / "grid.npy", array{{1.5, 2.5}, {3.5, 4.5}});
  std::cout << load(folder / "grid.npy") << '\n';

  tofile(folder / "grid.bin", arange(6));
  std::cout << fromfile(folder / "grid.bin", Dtype::int64, 3, 8) << '\n';

  try {
    load(folder / "grid.bin");
  } catch (const value_error&) {
    std::cout << "bare bytes are no file of NumPy's\n";
  }
  std::filesystem::remove_all(folder);
  return 0;
}

// Prints:
//   [[1.5 2.5]
//    [3.5 4.5]]
//   [1 2 3]
//   bare bytes are no file of NumPy's
