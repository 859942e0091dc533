import { byCodeUnits, isJsonObject, type Json, type SkillCard } from '../core/index.ts';
import type { BundleFile } from '../files/index.ts';

/** A description of a skill's files, for a person who decides whether to install them. */
export interface SkillContents {
  readonly files: number;
  readonly bytes: number;
  /** The files that can run: those that are marked as executable, in `scripts`, or written in a script language. */
  readonly scripts: readonly string[];
  /** The hosts of the addresses in the files. */
  readonly hosts: readonly string[];
  /** The environment variables that the files name. */
  readonly variables: readonly string[];
  readonly tools: readonly string[];
  readonly skills: readonly string[];
}

const most = 50; // The maximum length of each list.
const largestText = 262_144; // Only the start of a larger file is searched.
const scriptName = /^scripts\/|\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd|php|lua|go)$/i;
const address = /\bhttps?:\/\/([a-z0-9][a-z0-9.-]{0,200}[a-z0-9])(?::\d{1,5})?(?=[/\s"'`)\]>?#,;:\\]|$)/gi;
const variable =
  /\bprocess\.env(?:\.|\[\s?["'])([A-Z][A-Z0-9_]{2,60})|\b(?:os\.)?(?:environ(?:\.get)?\s?[[(]\s?|getenv\s?\(\s?)["']([A-Z][A-Z0-9_]{2,60})|\$\{?([A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET|PASSWORD|URL|HOST|USER|ID))\b/g;

/** Describes the files of a skill. Never runs or trusts them. Pure. */
export function describeContents(files: readonly BundleFile[], card: SkillCard): SkillContents {
  const hosts = new Set<string>();
  const { env = [], primaryEnv } = card.requires ?? {};
  const variables = new Set([...env, ...(primaryEnv === undefined ? [] : [primaryEnv])]);
  for (const { bytes } of files) {
    if (bytes.subarray(0, 8_192).includes(0)) continue;
    const text = Buffer.from(bytes.subarray(0, largestText)).toString('utf8');
    for (const [, host = ''] of text.matchAll(address)) if (host.includes('.')) hosts.add(host.toLowerCase());
    for (const [, ...names] of text.matchAll(variable)) {
      for (const name of names as readonly (string | undefined)[])
        if (name !== undefined) variables.add(name);
    }
  }
  return {
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    scripts: firstOf(files.filter(isScript).map(({ path }) => path)),
    hosts: firstOf(hosts),
    variables: firstOf(variables),
    tools: card.allowedTools ?? [],
    skills: card.allowedSkills ?? [],
  };
}

function isScript({ path, isProgram }: BundleFile): boolean {
  return isProgram === true || scriptName.test(path);
}

function firstOf(names: Iterable<string>): readonly string[] {
  return [...names].sort(byCodeUnits).slice(0, most);
}

const packageCommands: Readonly<Record<string, readonly [command: string, field: string]>> = {
  brew: ['brew install', 'formula'],
  node: ['npm install --global', 'package'],
  npm: ['npm install --global', 'package'],
  go: ['go install', 'module'],
  uv: ['uv tool install', 'package'],
  apt: ['apt-get install', 'package'],
};

/**
 * Returns the commands with which the publisher says that required programs are installed, in the format of
 * OpenClaw. Nothing runs them. Pure.
 */
export function installCommands({ metadata = {} }: SkillCard): readonly string[] {
  const groups = Object.values(metadata).filter(isJsonObject);
  const steps = groups.flatMap(({ install }) => (Array.isArray(install) ? (install as readonly Json[]) : []));
  return steps.flatMap((step) => {
    if (!isJsonObject(step) || typeof step['kind'] !== 'string') return [];
    const [command, field] = packageCommands[step['kind']] ?? [];
    const name = field === undefined ? undefined : step[field];
    return typeof name === 'string' && /^[\w@./:+-]+$/.test(name) ? [`${command} ${name}`] : [];
  });
}
