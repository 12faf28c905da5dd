/**
 * Scripts that let shells complete the arguments of `tacho`. Each asks `tacho completions SHELL -- WORD...` for a line per
 * candidate: the word, a tab and its description. The lines `:file` and `:folder` ask for files and folders too.
 *
 * @module
 */

const BASH = `# Completes tacho in bash. In ~/.bashrc: source <(tacho completions bash)
_tacho() {
  local word line cur prefix= glue=
  local -a words=()
  # Bash splits words at = and :
  for word in "\${COMP_WORDS[@]:1:$COMP_CWORD}"; do
    if [[ \${#words[@]} -gt 0 && ( $word == [=:]* || -n $glue ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    glue=
    [[ $word == *[=:] ]] && glue=1
  done
  cur=\${words[\${#words[@]}-1]}
  [[ \${COMP_WORDS[COMP_CWORD]} == "$cur" ]] || prefix=\${cur%"\${cur##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file | :folder)
        compopt -o filenames 2>/dev/null
        [[ $line == :file ]] && word=-f || word=-d
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$word" -- "\${cur#"$prefix"}")
        ;;
      *)
        line=\${line%%$'\\t'*}
        [[ $line == *= ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("\${line#"$prefix"}")
        ;;
    esac
  done < <("$1" completions bash -- "\${words[@]}" 2>/dev/null)
}
complete -F _tacho tacho
`;

const ZSH = `#compdef tacho
# Completes tacho in zsh. In ~/.zshrc, after compinit: source <(tacho completions zsh)
_tacho() {
  local line text about
  local -a done open
  for line in "\${(@f)$("\${words[1]}" completions zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    case $line in
      :file) [[ $PREFIX == *=* ]] && compset -P '*='; _files ;;
      :folder) [[ $PREFIX == *=* ]] && compset -P '*='; _files -/ ;;
      *)
        text=\${line%%$'\\t'*}
        about=\${line#*$'\\t'}
        if [[ $text == *= ]]; then open+=("\${text//:/\\\\:}:$about"); else done+=("\${text//:/\\\\:}:$about"); fi
        ;;
    esac
  done
  (( \${#done} )) && _describe -V tacho done
  (( \${#open} )) && _describe -V setting open -S ''
}
compdef _tacho tacho
`;

const FISH = `# Completes tacho in fish. In ~/.config/fish/config.fish: tacho completions fish | source
function __tacho_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] completions fish -- $words[2..-1] "$current" 2>/dev/null)
    switch $line
      case :file
        __fish_complete_path "$current"
      case :folder
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c tacho -f -a '(__tacho_complete)'
`;

/** Scripts by shell. */
export const SHELLS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
