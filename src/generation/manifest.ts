import { join } from 'node:path';
import { byCodeUnits, isJsonObject, parseJson, type Issue, type Json } from '../core/index.ts';
import { readSmallFile } from './file-access.ts';
import { isTarget } from './targets.ts';

/** What a source file was made of, and what came out. */
export interface ManifestEntry {
  readonly spec: string;
  /** Hash of everything that it was made of. */
  readonly inputs: string;
  /** Hash of its bytes when it was made. */
  readonly output: string;
}

/** What a generation left behind, beside the files that it made: `src/.generated.json`. It holds no times. */
export interface Manifest {
  readonly version: 1;
  readonly generator: string;
  readonly tier: string;
  /** What the skill promises its callers, in the words that were given to the model. */
  readonly contract: string;
  /** By target. */
  readonly files: Readonly<Record<string, ManifestEntry>>;
}

/** Its path from the folder of the skill. */
export const manifestPath = 'src/.generated.json';

const mostBytes = 16_000_000;

/** The manifest of a bundle; one that cannot be understood is none, with a finding, so that nothing is taken for made. Never throws. */
export function readManifest(dir: string): {
  readonly manifest?: Manifest;
  readonly issues: readonly Issue[];
} {
  const file = join(dir, manifestPath);
  const read = readSmallFile(file, mostBytes);
  if (read === undefined) return { issues: [] };
  const manifest = 'fault' in read ? undefined : toManifest(parseJson(read.bytes.toString('utf8')));
  if (manifest !== undefined) return { manifest, issues: [] };
  const why = 'fault' in read ? read.fault : 'is damaged, or was written by another version';
  const issue: Issue = {
    level: 'warning',
    code: 'generation.manifest',
    message: `${manifestPath} ${why}, so every file beside it counts as written by hand.`,
    file,
    hint: 'Bring it back, or build with --force to make everything anew.',
  };
  return { issues: [issue] };
}

/** The text of a manifest: equal ones have the same. */
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
