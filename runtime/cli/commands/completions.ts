import { clip, printable } from "../../report/plain_text.ts";
import { complete } from "../completion/complete.ts";
import { oneOf } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";

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
const SHELLS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** Width of descriptions, in columns, which shells show beside each word. */
const WIDTH = 60;

const NAMES = Object.keys(SHELLS);

export const define = () =>
  createPlainCommand({
    name: "completions",
    description: "Prints a script that lets a shell complete tacho's commands, flags, settings and names of kept runs.",
    examples: [
      ["tacho completions fish | source", "complete in this fish; put it in config.fish"],
      ["source <(tacho completions bash)", "complete in this bash; put it in ~/.bashrc"],
      ["source <(tacho completions zsh)", "complete in this zsh; put it in ~/.zshrc, after compinit"],
      ["tacho completions bash -- run s.ts am", "list the completions of a command line, as these scripts do"],
    ],
  })
    .argument("<shell>", `${NAMES.slice(0, -1).join(", ")} or ${NAMES.at(-1)}`, oneOf("tacho completions", NAMES))
    .argument("[words...]", "arguments of tacho so far, the last one unfinished; prints its completions");

/** Prints the completion script of a shell, or the completions of a command line. */
export const run = runOf(define, async (_options, [shell, words], _command, commands) => {
  if (words.length === 0) {
    writeOut(SHELLS[shell]!);
    return;
  }
  const { candidates, paths } = await complete(words, commands);
  const lines = candidates.map(({ text, description }) => `${printable(text)}\t${clip(printable(description), WIDTH)}`);
  writeOut([...lines, ...paths === null ? [] : [`:${paths}`]].map((line) => `${line}\n`).join(""));
});
