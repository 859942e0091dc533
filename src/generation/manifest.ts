import { join } from 'node:path';
import { byCodeUnits, isJsonObject, parseJson, type Issue, type Json } from '../core/index.ts';
import { readSmallFile } from './file-access.ts';
import { isTarget } from './targets.ts';

/** The manifest entry of one generated source file. */
export interface ManifestEntry {
  readonly spec: string;
  /** The hash of all inputs from which the file was generated. */
  readonly inputs: string;
  /** The hash of the generated file's bytes. */
  readonly output: string;
}

/**
 * The record of how the code in `src` was generated, stored as `src/.generated.json`. It contains no
 * timestamps.
 */
export interface Manifest {
  readonly version: 1;
  readonly generator: string;
  readonly tier: string;
  /** The description of the skill's inputs and outputs, exactly as it was sent to the model. */
  readonly contract: string;
  /** The entries, keyed by the path of the generated file in `src`. */
  readonly files: Readonly<Record<string, ManifestEntry>>;
}

/** The path of the manifest in the skill folder. */
export const manifestPath = 'src/.generated.json';

const maxBytes = 16_000_000;

/**
 * Reads a bundle's manifest. If the manifest is unreadable, returns an issue and no manifest, so that no file
 * is treated as generated. Never throws.
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

/** Serializes a manifest. Equal manifests produce equal texts. */
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
