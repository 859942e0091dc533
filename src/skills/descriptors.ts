import type { Family } from '../core/family.ts';

/** The descriptor names of all families, by lower-case spelling. */
export interface Descriptors {
  readonly byFile: ReadonlyMap<string, { readonly family: Family; readonly file: string }>;
  /** The family that takes loose Markdown files in a skills root. */
  readonly loose: Family | undefined;
  readonly byFolder: ReadonlyMap<string, Family>;
}

/** Asks each family how its files are recognised; the earlier family wins a name claimed twice. */
export function descriptorsOf(families: readonly Family[]): Descriptors {
  const byFile = new Map<string, { family: Family; file: string }>();
  const byFolder = new Map<string, Family>();
  let loose: Family | undefined;
  for (const family of families) {
    const { descriptor } = family;
    if (descriptor === undefined) continue;
    if ('folder' in descriptor) {
      if (!byFolder.has(descriptor.folder)) byFolder.set(descriptor.folder, family);
      continue;
    }
    const key = descriptor.file.toLowerCase();
    if (!byFile.has(key)) byFile.set(key, { family, file: descriptor.file });
    if (descriptor.loose === true) loose ??= family;
  }
  return { byFile, loose, byFolder };
}
