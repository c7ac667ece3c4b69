// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The command line: pleat COMMAND ...
#include "commands.hpp"

#include "pleat/core/error.hpp"

#include <fmt/core.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <new>

int main(int argc, char** argv)
{
    using namespace pleat;
    using namespace pleat::app;

    // A file size limit is then an error like a full disk, not the end of the program.
    std::signal(SIGXFSZ, SIG_IGN);
#if defined(__GLIBC__)
    // Freed memory is kept, because the next step allocates it again.
    constexpr int kept_bytes = 256 << 20, own_mapping_bytes = 32 << 20;
    mallopt(M_TRIM_THRESHOLD, kept_bytes);
    mallopt(M_MMAP_THRESHOLD, own_mapping_bytes);
#endif

    CLI::App program{"Pleat simulates cloth on meshes that refine and coarsen themselves."};
    program.set_version_flag("--version", "pleat " PLEAT_VERSION);
    program.require_subcommand(1);
    program.set_help_all_flag("--help-all", "Print the help of all commands");
    std::map<std::string, Command> commands{
        {"run", add_run(program)},       {"resume", add_resume(program)},
        {"check", add_check(program)},   {"render", add_render(program)},
        {"stats", add_stats(program)},   {"convert", add_convert(program)},
        {"remesh", add_remesh(program)}, {"garment", add_garment(program)},
        {"new", add_new(program)},       {"materials", add_materials(program)},
        {"schema", add_schema(program)}, {"export", add_export(program)},
        {"wedge", add_wedge(program)},   {"bake", add_bake(program)},
    };
#if defined(PLEAT_VIEWER)
    commands.emplace("view", add_view(program));
#endif
    try {
        program.parse(argc, argv);
        return commands.at(program.get_subcommands().front()->get_name())();
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? exit_good : exit_bad_input;
    } catch (const InputError& error) {
        constexpr std::size_t most_shown = 20;
        const auto& problems = error.problems();
        for (std::size_t i = 0; i < problems.size() && i < most_shown; ++i)
            fmt::print(stderr, "error: {}\n", to_string(problems[i]));
        if (problems.size() > most_shown)
            fmt::print(stderr, "... and {} more; `pleat check` lists all of them\n",
                       problems.size() - most_shown);
        return exit_bad_input;
    } catch (const FileError& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return exit_bad_input;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: out of memory\n");
        return exit_gave_up;
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return exit_gave_up;
    }
}
