# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
#
# bash completion of pleat. tests/scripts/command_line_test.py compares the words with those of the
# program.

_pleat() {
    local -A options=(
        [run]="--output --set --frames --threads --format --name-pattern --checkpoint-every
               --checkpoint-keep --limit-tolerance --strict --json --quiet --no-attributes --force"
        [resume]="--from --scene --output --frames --threads --format --checkpoint-every
                  --checkpoint-keep --limit-tolerance --strict --json --quiet --force"
        [check]="--offenders --limit-tolerance --strict --threads"
        [render]="--frame --frames --output --film --fps --width --height --samples --wireframe
                  --colour --color --range --colour-faces --no-ground --dark --azimuth --elevation
                  --fov --eye --target --camera --display --display-levels --fit-frames --quiet --threads"
        [view]="--port --host --no-open --export --frames --output --force --threads"
        [stats]="--output"
        [export]="--output --format --name-pattern"
        [bake]="--output --mesh --cloth --format --tolerance --max-faces --threads"
        [wedge]="--set --range --random --seed --output --frames --jobs --threads --quiet"
        [convert]="--float32 --display --display-levels"
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
            local formats="obj ply usda vtp glb"
            [[ $verb == bake ]] && formats="pc2 mdd glb usda"
            mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${options[$verb]:-} --help" -- "$word")
    fi
}
complete -o default -F _pleat pleat # files where no word fits
