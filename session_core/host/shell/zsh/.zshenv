# Prompt marks (OSC 133) for an interactive zsh, found through ZDOTDIR, which is at once the user's again.
# Every mark carries the pane's nonce, which no program that runs from this shell inherits.

if [[ -n ${PANEBRIDGE_ZDOTDIR+set} ]]; then
    'builtin' 'export' ZDOTDIR="$PANEBRIDGE_ZDOTDIR"
else
    'builtin' 'unset' ZDOTDIR
fi
'builtin' 'typeset' -g +x __panebridge_nonce="${PANEBRIDGE_SHELL_NONCE-}"
'builtin' 'unset' PANEBRIDGE_ZDOTDIR PANEBRIDGE_SHELL_NONCE

if [[ -o interactive && -n $__panebridge_nonce ]]; then
    'builtin' 'typeset' -ga precmd_functions
    precmd_functions+=(__panebridge_install)

    # Sets REPLY to the first 2,000 characters of $1, percent-encoded where a mark could end or split.
    __panebridge_encode() {
        'builtin' 'emulate' -L zsh -o no_allexport -o no_xtrace
        local text=${1[1,2000]} from to
        local -i code
        text=${text//\%/%25}
        text=${text//;/%3B}
        if [[ $text == *[[:cntrl:]]* ]]; then
            for code in {1..31} 127; do
                builtin printf -v from "\\x$(([##16]code))"
                builtin printf -v to '%%%02X' $code
                text=${text//$from/$to}
            done
        fi
        typeset -g REPLY=$text
    }

    # Runs at the first prompt, when all of the user's files have been read. Hooks of the user run between ours.
    __panebridge_install() {
        'builtin' 'emulate' -L zsh -o no_allexport -o no_xtrace
        typeset -ga precmd_functions preexec_functions
        typeset -gi __panebridge_running=0
        precmd_functions=(__panebridge_finished ${precmd_functions:#__panebridge_install} __panebridge_prompt)
        preexec_functions+=(__panebridge_start)
        builtin unfunction __panebridge_install
        # It replaces itself in a list that is being run, in which the new last one may come too late.
        __panebridge_prompt
    }

    # The end of a command has been told already where zsh has shown its mark of an unfinished line.
    __panebridge_finished() {
        local -i __panebridge_code=$? __panebridge_marks=0
        [[ -o promptsp && -o promptcr ]] && __panebridge_marks=1
        'builtin' 'emulate' -L zsh -o no_allexport -o no_xtrace
        (( __panebridge_running )) || return 0
        __panebridge_running=0
        if [[ -n $__panebridge_eol_mark && ${PROMPT_EOL_MARK-} == "$__panebridge_eol_mark" ]]; then
            if (( $#__panebridge_users_eol_mark )); then
                PROMPT_EOL_MARK=$__panebridge_users_eol_mark[1]
            else
                builtin unset PROMPT_EOL_MARK
            fi
            (( __panebridge_marks )) && return 0
        fi
        __panebridge_tell "D;$__panebridge_code;nonce=$__panebridge_nonce"
    }

    # What zsh shows after an unfinished line comes before precmd, and is no output of the command: so the end of
    # the command is told at its head, for as long as the command runs.
    __panebridge_mark_line_end() {
        typeset -ga __panebridge_users_eol_mark=()
        (( $+PROMPT_EOL_MARK )) && __panebridge_users_eol_mark=("$PROMPT_EOL_MARK")
        typeset -g __panebridge_eol_mark=$'%{\e]133;D;%?;nonce='"$__panebridge_nonce"$'\a%}'
        __panebridge_eol_mark+=${PROMPT_EOL_MARK-%B%S%#%s%b}
        typeset -g PROMPT_EOL_MARK=$__panebridge_eol_mark
    }

    __panebridge_prompt() {
        'builtin' 'emulate' -L zsh -o no_allexport -o no_xtrace
        local REPLY
        __panebridge_encode "$PWD"
        __panebridge_tell "A;nonce=$__panebridge_nonce;cwd=$REPLY"
    }

    __panebridge_start() {
        local -i __panebridge_hidden=0 __panebridge_marks=0
        [[ -o promptsp && -o promptcr ]] && __panebridge_marks=1
        [[ -o histignorespace && $1 == ' '* ]] && __panebridge_hidden=1
        'builtin' 'emulate' -L zsh -o no_allexport -o no_xtrace
        local REPLY line=
        if [[ -n $1 ]] && (( ! __panebridge_hidden )); then
            __panebridge_encode "$1"
            line=";cmdline_url=$REPLY"
        fi
        __panebridge_encode "$PWD"
        __panebridge_running=1
        typeset -g __panebridge_eol_mark=
        (( __panebridge_marks )) && __panebridge_mark_line_end
        __panebridge_tell "C;nonce=$__panebridge_nonce$line;cwd=$REPLY"
    }

    # The shell's own output may have been sent elsewhere.
    __panebridge_tell() {
        { builtin print -rn -- $'\e]133;'"$1"$'\a' >/dev/tty; } 2>/dev/null
        return 0
    }
else
    'builtin' 'unset' __panebridge_nonce
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
    'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv"
fi
