import type { Manifest } from './manifest.ts';

/** A copy of a whole bundle in which its code is made anew, out of everybody's sight. */
export interface Staging extends Disposable {
  /** Where the copy lies; packages of the bundle are found from there. */
  readonly folder: string;
  /** The digest of the bundle that was copied. */
  readonly origin: string;
  /** The text of a source file, by target; undefined where there is none. */
  read(target: string): string | undefined;
  write(target: string, text: string): void;
  remove(target: string): void;
  /** Writes the manifest and gives the digest that the bundle will have once this is put in its place. */
  finish(
    manifest: Omit<Manifest, 'files' | 'version'> & {
      readonly files: Readonly<Record<string, { readonly spec: string; readonly inputs: string }>>;
    },
  ): string;
  /** Puts its source files in the place of those of the bundle, all or none, however this process ends. */
  putInPlace(): void;
}

/** Copies a bundle; only inside `withGeneration`. Throws `skill.invalid` for one that cannot be copied or written. */
export function openStaging(_dir: string): Staging {
  throw new Error('not yet');
}
