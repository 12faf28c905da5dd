/** Lists ascending numbers with runs of three or more as ranges, such as `1, 3-7, 9`. */
export function numberRanges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length;) {
    let end = i;
    while (numbers[end + 1] === numbers[end]! + 1) end++;
    if (end - i >= 2) parts.push(`${numbers[i]}-${numbers[end]}`);
    else parts.push(...numbers.slice(i, end + 1).map(String));
    i = end + 1;
  }
  return parts.join(", ");
}
