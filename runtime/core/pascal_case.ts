/** Returns a name in Pascal case: `max_pool2d` becomes `MaxPool2d`. */
export function pascalCase(name: string): string {
  return name.split(/[_.\s]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
