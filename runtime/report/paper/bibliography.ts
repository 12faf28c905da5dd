import { latexText } from "./latex.ts";

/** Returns the references of the methods paragraph for BibTeX: sources of the statistics, and this version of Tacho. */
export function bibliography(tacho: string): string {
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
