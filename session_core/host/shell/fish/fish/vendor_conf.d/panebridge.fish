# Prompt marks (OSC 133) for an interactive fish, found through XDG_DATA_DIRS, which is at once the user's again.
# Every mark carries the pane's nonce, which no program that runs from this shell inherits.

if set -q PANEBRIDGE_SHELL_NONCE
    set -gu __panebridge_nonce $PANEBRIDGE_SHELL_NONCE
    set -e PANEBRIDGE_SHELL_NONCE
    if set -q PANEBRIDGE_XDG_DATA_DIRS
        set -gx XDG_DATA_DIRS $PANEBRIDGE_XDG_DATA_DIRS
        set -e PANEBRIDGE_XDG_DATA_DIRS
    else
        set -e XDG_DATA_DIRS
    end

    if status is-interactive
        # Prints the first 2,000 characters of an argument, percent-encoded.
        function __panebridge_encode
            set -l text (builtin string sub -l 2000 -- $argv[1] | builtin string collect)
            builtin string escape --style=url -- "$text"
        end

        function __panebridge_start --on-event fish_preexec
            set -l line
            if not builtin string match -q -- ' *' $argv[1]
                set line ";cmdline_url="(__panebridge_encode $argv[1])
            end
            builtin printf '\e]133;C;nonce=%s%s;cwd=%s\a' $__panebridge_nonce "$line" (__panebridge_encode $PWD)
        end

        function __panebridge_finished --on-event fish_postexec
            builtin printf '\e]133;D;%s;nonce=%s\a' $status $__panebridge_nonce
        end

        function __panebridge_prompt --on-event fish_prompt
            builtin printf '\e]133;A;nonce=%s;cwd=%s\a' $__panebridge_nonce (__panebridge_encode $PWD)
        end
    end
end
