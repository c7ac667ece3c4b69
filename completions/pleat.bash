# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
#
# bash completion of pleat. tests/scripts/command_line_test.py compares the words with those of the
# program.

_pleat() {
    local -A options=(
        [run]="--output --frames --threads --format --checkpoint-every --checkpoint-keep
               --limit-tolerance --strict --json --quiet --no-attributes --force"
        [resume]="--from --scene --output --frames --threads --format --checkpoint-every
                  --checkpoint-keep --limit-tolerance --strict --json --quiet --force"
        [check]="--offenders --limit-tolerance --strict --threads"
        [render]="--frame --frames --output --film --fps --width --height --samples --wireframe
                  --colour --color --range --colour-faces --no-ground --dark --azimuth --elevation
                  --fov --eye --target --camera --fit-frames --quiet --threads"
        [view]="--port --host --no-open --export --frames --output --force --threads"
        [stats]="--output"
        [convert]="--float32"
        [remesh]="--metric --type --levels --output --hysteresis --guard"
        [garment]="--output --edge-length --max-faces"
        [new]="--cells"
        [materials]="--json"
        [schema]="--tables"
    )
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "${!options[*]} --help --help-all --version" -- "$word")
        return
    fi
    case $before in
        --colour | --color)
            mapfile -t COMPREPLY < <(compgen -W \
                "fabric size aspect strain velocity curvature material driver generation" -- "$word")
            return
            ;;
        --format)
            mapfile -t COMPREPLY < <(compgen -W "obj ply" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${options[$verb]:-} --help" -- "$word")
    fi
}
complete -o default -F _pleat pleat # files where no word fits
