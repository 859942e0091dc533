/** A cell in the form that numbers have in every request, or the two numbers that it can be. */
export type CommaNumber = { readonly text: string } | { readonly ways: readonly [string, string] };

/**
 * Reads a cell of a file with semicolons, as spreadsheets write it where the fraction stands behind a comma: `1.234,50`.
 * What is no such number stays as it is; `1.500` and `1,500` can be both thousands and a fraction.
 */
export function readCommaNumber(cell: string): CommaNumber {
  const text = cell.trim();
  if (twofold.test(text)) {
    const fraction = String(Number(text.replace(',', '.')));
    return { ways: [text.replace(/[.,]/, ''), twofold.test(fraction) ? `${fraction}0` : fraction] };
  }
  if (/^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(text))
    return { text: text.replaceAll('.', '').replace(',', '.') };
  if (/^[+-]?\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return { text: text.replaceAll('.', '') };
  return { text: cell };
}

const twofold = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
