import { existsSync } from 'node:fs';
import path from 'node:path';
import { normaliseKey } from '../../src/core/names.ts';
import { root } from './read-source.ts';

/** Names that a descriptor's parser accepts, each with its other spellings. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** A group of names that a descriptor can contain, and the kind of element that they name. */
export interface Part {
  readonly kind: 'field' | 'section' | 'attribute';
  readonly names: Names;
}

/** The exports of a family's `reference.ts`: names, or names with their other spellings. */
type Reference = Readonly<Record<string, readonly string[] | Names>>;

const kinds = { fields: 'field', sections: 'section', attributes: 'attribute' } as const;

/** Returns the elements of a family's descriptors, which the `reference.ts` in its folder lists. */
export async function readParts(id: string): Promise<readonly Part[]> {
  const file = `src/families/${id}/reference.ts`;
  if (!existsSync(path.join(root, file)))
    throw new Error(
      `There is no ${file}: it exports the "fields", "sections" or "attributes" that are read.`,
    );
  const reference = (await import(path.join(root, file))) as Reference;
  const parts = Object.entries(kinds).flatMap(([member, kind]): readonly Part[] => {
    const names = reference[member];
    return names === undefined ? [] : [{ kind, names: isList(names) ? spelled(names) : names }];
  });
  const unknown = Object.keys(reference).filter((member) => !Object.hasOwn(kinds, member));
  if (parts.length === 0 || unknown.length > 0)
    throw new Error(
      `${file} exports ${unknown.join(', ') || 'nothing'}, not fields, sections or attributes.`,
    );
  return parts;
}

/**
 * Returns a name for display: a field as written in the frontmatter, and a section or an attribute as a
 * heading.
 */
export function shownAs(kind: Part['kind'], name: string): string {
  if (kind === 'field') return name;
  const spaced = name.replaceAll('-', ' ').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return spaced.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** Normalises a name to lower case, without spaces, hyphens and underscores. */
export function keyOf(name: string): string {
  return normaliseKey(name).replaceAll('-', '');
}

/** Groups names that differ only in spelling. */
function spelled(names: readonly string[]): Names {
  return Object.fromEntries(
    [...Map.groupBy(names, keyOf).values()].map(([name = '', ...others]) => [name, others]),
  );
}

function isList(names: readonly string[] | Names): names is readonly string[] {
  return Array.isArray(names);
}
