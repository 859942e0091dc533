export interface InvoiceNumber {
  readonly year: number;
  readonly count: number;
}

export function readNumber(text: string): InvoiceNumber {
  const found = /^(\d{4})-(\d{4})$/.exec(text);
  if (found === null) throw new Error(`"${text}" is not an invoice number.`);
  return { year: Number(found[1]), count: Number(found[2]) };
}

export function writeNumber({ year, count }: InvoiceNumber): string {
  return `${String(year).padStart(4, '0')}-${String(count).padStart(4, '0')}`;
}
