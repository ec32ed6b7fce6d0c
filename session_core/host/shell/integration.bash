# Prompt marks (OSC 133) for an interactive bash, read in place of ~/.bashrc, which it reads itself first.
# Every mark carries the pane's nonce, which no program that runs from this shell inherits.
# All functions are defined before the user's files are read, so that no alias or option of theirs gets in.
# PS1 is never touched. Nothing of ours triggers a DEBUG trap of the user, in which prompts start their clocks:
# the hooks are expansions of loops over nothing, and what they must remember is assigned by arithmetic.

__panebridge_nonce=${PANEBRIDGE_SHELL_NONCE-}
__panebridge_login=${PANEBRIDGE_BASH_LOGIN-}
unset -v PANEBRIDGE_SHELL_NONCE PANEBRIDGE_BASH_LOGIN
export -n __panebridge_nonce __panebridge_login

__panebridge_first='for __panebridge_word in $(__panebridge_finished); do :; done'
__panebridge_last='for __panebridge_word in ${BASH_VERSION:0:$(((__panebridge_seen = $(__panebridge_prompt)) % 2))}'
__panebridge_last+='; do __panebridge_hook; done'

# Sets __panebridge_encoded to the first 2,000 characters of $1, percent-encoded where a mark could end or split.
__panebridge_encode() {
    local text=${1:0:2000} code octal from to
    text=${text//'%'/%25}
    text=${text//';'/%3B}
    if [[ $text == *[[:cntrl:]]* ]]; then
        for code in {1..31} 127; do
            builtin printf -v octal '%03o' "$code"
            builtin printf -v from "\\$octal"
            builtin printf -v to '%%%02X' "$code"
            text=${text//"$from"/$to}
        done
    fi
    __panebridge_encoded=$text
}

# Sets __panebridge_number and __panebridge_entry to the newest entry of the history.
__panebridge_newest() {
    local entry
    entry=$(HISTTIMEFORMAT='' builtin history 1 2>/dev/null)
    entry=${entry#"${entry%%[! ]*}"}
    __panebridge_number=${entry%%[!0-9]*}
    entry=${entry#"$__panebridge_number"}
    __panebridge_entry=${entry:2}
}

__panebridge_tell() { builtin printf '\e]133;%s;nonce=%s%s\a' "$1" "$__panebridge_nonce" "${2-}" >&2; }

# Runs before the user's PROMPT_COMMAND. In one string with that, it must hand the exit code on.
__panebridge_finished() {
    { local code=$? -; set +aeuxT -B; } 2>/dev/null
    [[ -z $__panebridge_seen ]] || __panebridge_tell "D;$code"
    return "$code"
}

# Runs after the user's PROMPT_COMMAND. Prints twice the newest number of the history, and one more if a hook is lost.
__panebridge_prompt() {
    { local code=$? -; set +aeuxT -B; } 2>/dev/null
    local __panebridge_encoded __panebridge_number __panebridge_entry lost=0
    [[ ${PROMPT_COMMAND-} == *__panebridge_finished* ]] || __panebridge_tell "D;$code"
    __panebridge_hooked || lost=1
    __panebridge_newest
    __panebridge_encode "$PWD"
    __panebridge_tell A ";cwd=$__panebridge_encoded"
    builtin printf '%s' "$((${__panebridge_number:-0} * 2 + lost))"
}

# Runs in the expansion of PS0. A line is told only if the user's settings let it into the history, as its one new
# entry.
__panebridge_start() {
    { local -; set +aeuxT -B; } 2>/dev/null
    local __panebridge_encoded __panebridge_number __panebridge_entry line=''
    __panebridge_newest
    if [[ $__panebridge_number == "$((__panebridge_seen / 2 + 1))" ]]; then
        __panebridge_encode "$__panebridge_entry"
        line=";cmdline_url=$__panebridge_encoded"
    fi
    __panebridge_encode "$PWD"
    __panebridge_tell C "$line;cwd=$__panebridge_encoded" 2>&1
}

# Whether the hooks are where they belong. Before bash 5.1 PROMPT_COMMAND is one string. bash-preexec keeps its own
# hooks outermost, sees to the exit code, and must find ours in its midst.
__panebridge_hooked() {
    [[ ${PS0-} == *"$__panebridge_ps0"* ]] || return 1
    if [[ -n ${__bp_imported-} ]]; then
        [[ ${PROMPT_COMMAND[*]} == *__panebridge_finished*"$__panebridge_last"* ]]
    elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        [[ ${PROMPT_COMMAND-} == "$__panebridge_first" && ${PROMPT_COMMAND[*]: -1} == "$__panebridge_last" ]]
    else
        [[ ${PROMPT_COMMAND-} == __panebridge_finished$'\n'*$'\n'"$__panebridge_last" ]]
    fi
}

# Puts the hooks where they belong, also after the user has set PROMPT_COMMAND or PS0 anew. They are not exported:
# another shell does not have the functions.
__panebridge_hook() {
    { local -; set +aeuxT -B; } 2>/dev/null
    [[ ${PS0-} == *"$__panebridge_ps0"* ]] || PS0=${PS0-}$__panebridge_ps0
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        __panebridge_hook_elements
    else
        local users=${PROMPT_COMMAND-}
        users=${users//"$__panebridge_last"/:}
        users=${users//__panebridge_finished/:}
        PROMPT_COMMAND=__panebridge_finished$'\n'${users:+$users$'\n'}$__panebridge_last
    fi
    export -n PS0 PROMPT_COMMAND
}

# The hooks are elements of their own: bash gives each element the exit code and PIPESTATUS of the command line.
__panebridge_hook_elements() {
    local elements=() kept=() element replaced=''
    [[ -z ${PROMPT_COMMAND[*]+set} ]] || elements=("${PROMPT_COMMAND[@]}")
    # An assignment without an index goes to the first element, and means to replace all of them.
    if [[ ${elements[*]: -1} == "$__panebridge_last" && ${elements-} != *__panebridge_finished* ]]; then
        replaced=1
    fi
    for element in "${elements[@]}"; do
        if [[ $element != "$__panebridge_first" && $element != "$__panebridge_last" ]]; then
            kept+=("${element//"$__panebridge_first"/:}")
        fi
        [[ -z $replaced ]] || break
    done
    PROMPT_COMMAND=("$__panebridge_first" "${kept[@]}" "$__panebridge_last")
}

__panebridge_install() {
    { local -; set +aeuxT -B; } 2>/dev/null
    local declared readonly='(^|[[:cntrl:]])declare -[[:alpha:]]*r[[:alpha:]]* (PROMPT_COMMAND|PS0)'
    declared=$(builtin declare -p PROMPT_COMMAND PS0 2>/dev/null)
    [[ ! $declared =~ $readonly ]] || return 0
    __panebridge_seen=''
    __panebridge_ps0='$(__panebridge_start)'
    shopt -q promptvars || __panebridge_ps0="\\e]133;C;nonce=$__panebridge_nonce\\a"
    __panebridge_hook
}

if [[ -n $__panebridge_login ]]; then
    if [[ -r /etc/profile ]]; then . /etc/profile; fi
    for __panebridge_login in ~/.bash_profile ~/.bash_login ~/.profile ''; do
        [[ ! -f $__panebridge_login || ! -r $__panebridge_login ]] || break
    done
    if [[ -n $__panebridge_login ]]; then . "$__panebridge_login"; fi
elif [[ -f ~/.bashrc && -r ~/.bashrc ]]; then
    . ~/.bashrc
fi
unset -v __panebridge_login

if [[ -n $__panebridge_nonce ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    __panebridge_install
fi
