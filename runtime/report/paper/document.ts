import type { Result } from "../../result/schema.ts";
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

/** Returns the references of the methods paragraph for BibTeX: sources of the statistics, and this version of Tacho. */
function bibliography(tacho: string): string {
  return `@misc{tacho,
  title = {Tacho: a profiling runtime for training neural networks on {WebGPU}},
  note = {Version ${latexText(tacho)}}
}

@article{holm1979,
  author = {Holm, Sture},
  title = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979}
}

@article{tukey1963,
  author = {Tukey, John W. and McLaughlin, Donald H.},
  title = {Less vulnerable confidence and significance procedures for location based on a single sample: Trimming/{Winsorization} 1},
  journal = {Sankhy\\=a: The Indian Journal of Statistics, Series A},
  volume = {25},
  number = {3},
  pages = {331--352},
  year = {1963}
}

@book{fisher1935,
  author = {Fisher, Ronald A.},
  title = {The Design of Experiments},
  publisher = {Oliver and Boyd},
  year = {1935}
}

@article{student1908,
  author = {{Student}},
  title = {The probable error of a mean},
  journal = {Biometrika},
  volume = {6},
  number = {1},
  pages = {1--25},
  year = {1908}
}

@book{tukey1977,
  author = {Tukey, John W.},
  title = {Exploratory Data Analysis},
  publisher = {Addison-Wesley},
  year = {1977}
}
`;
}
