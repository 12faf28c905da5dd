import type { Result } from "../../result/schema.ts";
import { bibliography } from "./bibliography.ts";
import { latexText } from "./latex.ts";
import { methodsParagraph } from "./methods.ts";
import { intervalPlot } from "./plot.ts";
import { comparisonTable, timesTable } from "./tables.ts";

/** Returns the files of a paper by name: parts to include, and a document that includes all of them. */
export function paperFiles(result: Result): Readonly<Record<string, string>> {
  return {
    "comparison.tex": comparisonTable(result),
    "times.tex": timesTable(result),
    "intervals.tex": intervalPlot(result),
    "methods.tex": methodsParagraph(result),
    "tacho.bib": bibliography(result.environment.tacho),
    "paper.tex": document(result),
  };
}

function document({ scenario, baseline }: Result): string {
  return `% Compile with: pdflatex paper && bibtex paper && pdflatex paper && pdflatex paper
\\documentclass{article}
\\usepackage[T1]{fontenc}
\\usepackage[utf8]{inputenc}
\\usepackage{textcomp}
\\usepackage[margin=2cm]{geometry}
\\usepackage{booktabs}
\\usepackage{siunitx}
\\usepackage{pgfplots}
\\pgfplotsset{compat=1.16}
\\sisetup{separate-uncertainty = true}
\\title{${latexText(scenario.name)}}
\\date{}
\\begin{document}
\\maketitle
\\section{Methods}
\\input{methods}
\\section{Results}
\\input{comparison}
\\input{times}
\\begin{figure}
\\centering
\\input{intervals}
\\caption{Speed relative to ${latexText(baseline)}, with confidence intervals. Grey: differences that count as none.}
\\label{fig:intervals}
\\end{figure}
\\bibliographystyle{plain}
\\bibliography{tacho}
\\end{document}
`;
}
