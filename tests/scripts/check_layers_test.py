#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""The check_* scripts are clean on the repository, and fail on what is planted."""
import pathlib
import shutil
import tempfile

from checks import ROOT, expect, run



def planted(relative, line):
    """A copy of the sources with one more line in one file."""
    folder = pathlib.Path(tempfile.mkdtemp())
    for part in ("src", "docs"):
        shutil.copytree(ROOT / part, folder / part)
    with open(folder / relative, "a", encoding="utf-8") as file:
        file.write(line + "\n")
    return folder


def breach(script, relative, line, words):
    folder = planted(relative, line)
    try:
        code, output = run(script, folder)
        expect(code == 1, f"{script} must fail for {line} in {relative}")
        expect(words in output and relative in output, f"{script} must say '{words}': {output}")
    finally:
        shutil.rmtree(folder)


for script in ("check_layers", "check_citations", "check_names", "check_functions"):
    code, output = run(script, ROOT)
    expect(code == 0, f"{script} is not clean:\n{output}")
breach("check_layers", "src/pleat/mesh/mesh.hpp", '#include "pleat/sim/step.hpp"',
       "mesh includes sim, which is below it")
breach("check_layers", "src/pleat/export/obj_sink.cpp", '#include "pleat/io/obj.hpp"',
       "slot export includes slot io")
breach("check_layers", "src/pleat/sim/step.cpp", '#include "pleat/mesh/mesh_writer.hpp"',
       "private to mesh")
breach("check_layers", "src/pleat/linalg/cg.hpp", "#include <Eigen/Sparse>", "outside library")
breach("check_layers", "src/pleat/core/ids.hpp", '#include "pleat/core/nothing.hpp"',
       "does not exist")
breach("check_citations", "src/pleat/core/ids.hpp", "// [" + "Nobody1999]", "not in docs/references.bib")
breach("check_names", "src/pleat/sim/step.cpp",
       "namespace pleat { template <class T> class alignas(8) Mesh final : public T { int a; }; }",
       "pleat::Mesh is defined more than once")
breach("check_names", "src/pleat/core/ids.hpp", "namespace pleat { enum class Stage : int { a }; }",
       "pleat::Stage is defined more than once")
breach("check_functions", "src/pleat/core/log.cpp", "int f(int a)\n{\n" + 99 * "    ++a; // }\n" + "}",
       "a function of 101 lines")
harmless = planted("src/pleat/core/ids.hpp", "namespace pleat { namespace { struct Mesh { int a; }; }\n"
                   "struct Model; inline void f() { struct World { int a; }; } } // struct State {")
expect(run("check_names", harmless)[0] == 0, "check_names must let private names pass")
shutil.rmtree(harmless)
print("9 breaches planted and found")
