import { join } from 'node:path';
import { byCodeUnits, isJsonObject, parseJson, type Issue, type Json } from '../core/index.ts';
import { readSmallFile } from './file-access.ts';
import { isTarget } from './targets.ts';

/** The spec and the hashes of one generated source file. */
export interface ManifestEntry {
  readonly spec: string;
  /** Hash of all inputs used for generation. */
  readonly inputs: string;
  /** Hash of the file's bytes when it was generated. */
  readonly output: string;
}

/**
 * The record of a generation, saved as `src/.generated.json` next to the files it wrote. Contains no
 * timestamps.
 */
export interface Manifest {
  readonly version: 1;
  readonly generator: string;
  readonly tier: string;
  /** The contract between the skill and its callers, exactly as sent to the model. */
  readonly contract: string;
  /** The manifest entries, keyed by target. */
  readonly files: Readonly<Record<string, ManifestEntry>>;
}

/** The manifest's path in the skill folder. */
export const manifestPath = 'src/.generated.json';

const maxBytes = 16_000_000;

/**
 * Reads the manifest of a bundle. An unreadable manifest counts as missing and adds an issue, so that no file
 * is mistaken for a generated one. Never throws.
 */
export function readManifest(dir: string): {
  readonly manifest?: Manifest;
  readonly issues: readonly Issue[];
} {
  const file = join(dir, manifestPath);
  const read = readSmallFile(file, maxBytes);
  if (read === undefined) return { issues: [] };
  const manifest = 'fault' in read ? undefined : toManifest(parseJson(read.bytes.toString('utf8')));
  if (manifest !== undefined) return { manifest, issues: [] };
  const why = 'fault' in read ? read.fault : 'is damaged or was written by another version';
  const issue: Issue = {
    level: 'warning',
    code: 'generation.manifest',
    message: `${manifestPath} ${why}, so every file next to it is treated as handwritten.`,
    file,
    hint: 'Restore the manifest, or build with --force to regenerate everything.',
  };
  return { issues: [issue] };
}

/** Serializes a manifest. Equal manifests produce equal text. */
export function manifestText({ version, generator, tier, contract, files }: Manifest): string {
  const sorted = Object.entries(files)
    .sort(([one], [other]) => byCodeUnits(one, other))
    .map(([target, { inputs, output, spec }]) => [target, { inputs, output, spec }] as const);
  return `${JSON.stringify({ contract, files: Object.fromEntries(sorted), generator, tier, version }, null, 2)}\n`;
}

function toManifest(json: Json | undefined): Manifest | undefined {
  if (!isJsonObject(json) || json['version'] !== 1) return undefined;
  const { generator, tier, contract, files } = json;
  if (typeof generator !== 'string' || typeof tier !== 'string' || typeof contract !== 'string')
    return undefined;
  if (!isJsonObject(files)) return undefined;
  const entries = Object.entries(files).map(([target, entry]) => [target, toEntry(entry)] as const);
  const good = entries.filter((pair): pair is readonly [string, ManifestEntry] => pair[1] !== undefined);
  if (good.length < entries.length || !good.every(([target]) => isTarget(target))) return undefined;
  return { version: 1, generator, tier, contract, files: Object.fromEntries(good) };
}

function toEntry(json: Json): ManifestEntry | undefined {
  if (!isJsonObject(json)) return undefined;
  const { spec, inputs, output } = json;
  const isWhole = typeof spec === 'string' && typeof inputs === 'string' && typeof output === 'string';
  return isWhole ? { spec, inputs, output } : undefined;
}
