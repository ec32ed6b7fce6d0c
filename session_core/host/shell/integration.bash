# Prompt marks (OSC 133) for an interactive bash, read in place of ~/.bashrc, which it reads itself first.
# Every mark carries the pane's nonce, which no program that runs from this shell inherits.
# All functions are defined before the user's files are read, so that no alias or option of theirs gets in.

__panebridge_nonce=${PANEBRIDGE_SHELL_NONCE-}
__panebridge_login=${PANEBRIDGE_BASH_LOGIN-}
unset -v PANEBRIDGE_SHELL_NONCE PANEBRIDGE_BASH_LOGIN
export -n __panebridge_nonce __panebridge_login

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

# Runs before the user's PROMPT_COMMAND. In one string with that, it must hand the exit code on.
__panebridge_finished() {
    local code=$?
    { local -; set +aeux -B; } 2>/dev/null
    if [[ -z $__panebridge_told ]]; then
        builtin printf '\e]133;D;%s;nonce=%s\a' "$code" "$__panebridge_nonce" >&2
        __panebridge_told=1
    fi
    [[ -z $__panebridge_commands ]] || return "$code"
}

# Runs after the user's PROMPT_COMMAND.
__panebridge_prompt() {
    local code=$?
    { local -; set +aeux -B; } 2>/dev/null
    local __panebridge_encoded __panebridge_number __panebridge_entry
    if [[ -z $__panebridge_told ]]; then
        builtin printf '\e]133;D;%s;nonce=%s\a' "$code" "$__panebridge_nonce" >&2
    fi
    __panebridge_told=''
    __panebridge_hook
    __panebridge_newest
    __panebridge_seen=$__panebridge_number
    __panebridge_encode "$PWD"
    builtin printf '\e]133;A;nonce=%s;cwd=%s\a' "$__panebridge_nonce" "$__panebridge_encoded" >&2
}

# Runs in the expansion of PS0, which is a subshell. A line is told only if the user's settings let it into the
# history, as its only new entry.
__panebridge_start() {
    { local -; set +aeux -B; } 2>/dev/null
    local __panebridge_encoded __panebridge_number __panebridge_entry line=''
    __panebridge_newest
    if [[ -n $__panebridge_number && $__panebridge_number == "$((__panebridge_seen + 1))" ]]; then
        __panebridge_encode "$__panebridge_entry"
        line=";cmdline_url=$__panebridge_encoded"
    fi
    __panebridge_encode "$PWD"
    builtin printf '\e]133;C;nonce=%s%s;cwd=%s\a' "$__panebridge_nonce" "$line" "$__panebridge_encoded"
}

# Puts the hooks where they belong, also after the user has set PROMPT_COMMAND or PS0 anew. They are not exported:
# another shell does not have the functions.
__panebridge_hook() {
    if [[ ${PS0-} != *"$__panebridge_ps0"* ]]; then
        PS0=${PS0-}$__panebridge_ps0
    fi
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        __panebridge_hook_elements
    elif [[ ${PROMPT_COMMAND-} != "$__panebridge_commands" || -z $__panebridge_commands ]]; then
        local user=${PROMPT_COMMAND-}
        user=${user//__panebridge_finished$'\n'/}
        user=${user//$'\n'__panebridge_prompt/}
        __panebridge_commands=__panebridge_finished$'\n'${user:-:}$'\n'__panebridge_prompt
        PROMPT_COMMAND=$__panebridge_commands
    fi
    export -n PS0 PROMPT_COMMAND
}

# The hooks are elements of their own: bash gives each element the exit code and PIPESTATUS of the command line.
__panebridge_hook_elements() {
    local elements=() kept=() element count replaced=''
    [[ -z ${PROMPT_COMMAND+set}${PROMPT_COMMAND[*]+set} ]] || elements=("${PROMPT_COMMAND[@]}")
    count=${#elements[@]}
    if ((count)) && [[ ${elements[count - 1]} == __panebridge_prompt ]]; then
        [[ ${elements[0]} == __panebridge_finished ]] && return
        # An assignment without an index goes to the first element, and means to replace all of them.
        [[ ${elements[0]} == *__panebridge_finished* ]] || replaced=1
    fi
    for element in "${elements[@]}"; do
        [[ $element == __panebridge_finished || $element == __panebridge_prompt ]] || kept+=("$element")
        [[ -z $replaced ]] || break
    done
    PROMPT_COMMAND=(__panebridge_finished "${kept[@]}" __panebridge_prompt)
}

__panebridge_install() {
    { local -; set +aeux -B; } 2>/dev/null
    local attributes=''
    [[ -z ${PROMPT_COMMAND+set} ]] || attributes=${PROMPT_COMMAND@a}
    [[ -z ${PS0+set} ]] || attributes+=${PS0@a}
    [[ $attributes != *r* ]] || return 0
    __panebridge_told=1 __panebridge_seen='' __panebridge_commands=''
    __panebridge_ps0='$(__panebridge_start)'
    shopt -q promptvars || __panebridge_ps0="\\e]133;C;nonce=$__panebridge_nonce\\a"
    __panebridge_hook
}

if [[ -n $__panebridge_login ]]; then
    if [[ -r /etc/profile ]]; then . /etc/profile; fi
    for __panebridge_login in ~/.bash_profile ~/.bash_login ~/.profile ''; do
        [[ ! -r $__panebridge_login ]] || break
    done
    if [[ -n $__panebridge_login ]]; then . "$__panebridge_login"; fi
elif [[ -r ~/.bashrc ]]; then
    . ~/.bashrc
fi
unset -v __panebridge_login

if [[ -n $__panebridge_nonce ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    __panebridge_install
fi
