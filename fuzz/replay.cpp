// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Takes a fuzz target through files, where libFuzzer is not: fuzz_obj FILE-OR-FOLDER...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv)
{
    namespace fs = std::filesystem;
    int count = 0;
    const auto replay = [&](const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        std::printf("%s\n", path.c_str());
        std::fflush(stdout); // so that the last one named is the one that crashed
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        ++count;
    };
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            replay(argv[i]);
            continue;
        }
        for (const auto& entry : fs::directory_iterator(argv[i])) replay(entry.path());
    }
    std::printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
