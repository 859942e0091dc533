import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentError, counted, hasErrors } from '../../../core/index.ts';
import { chooseBundles, findBundles, type OfferedSkill } from '../../../install/find-bundles.ts';
import { openLocal } from '../../../install/local.ts';
import { packSkill, publishSkills, type PublishedSkill } from '../../../install/publish.ts';
import { readBundle } from '../../../install/tree.ts';
import {
  mustBeFolder,
  oneLine,
  openAgent,
  printJson,
  textFlag,
  type CliCommand,
  type CommonFlags,
} from '../../command-kit.ts';

/** `skilled pack`: writes a skill as an archive that is the same on every machine. */
export const pack: CliCommand = {
  summary: 'Write a skill as an archive that is the same on every machine.',
  usage: `Usage: skilled pack <folder> [--out <file>] [--json]

  skilled pack skills/pdf --out pdf.zip

  --out  the archive; by default, <skill>.zip in the current folder`,
  options: { out: { type: 'string' } },
  maxArgs: 1,
  async run({ flags, own, args, terminal }) {
    const [folder] = args;
    if (folder === undefined)
      throw new AgentError('usage.bad-input', 'Missing skill folder.', {
        hint: 'Run `skilled pack <folder>`.',
      });
    const [published] = await readPublished(flags, folder, []);
    if (published === undefined) throw noSkills(folder);
    const { bytes, digest } = packSkill(published.files);
    const file = resolve(flags.cwd, textFlag(own, 'out') ?? `${published.skill.name}.zip`);
    write(file, bytes);
    if (flags.json) printJson(terminal, { ok: true, file, digest, name: published.skill.name });
    else terminal.out(`${oneLine(file)}  ${digest}\n`);
    return 0;
  },
};

/** `skilled publish`: writes a registry of skills for any static web server. */
export const publish: CliCommand = {
  summary: 'Write skills as a registry for any static web server.',
  usage: `Usage: skilled publish [folder] --to <dir> [--skill <name>]... [--json]

Writes /.well-known/agent-skills/index.json with the digest of each skill, and one archive
per skill. Upload the folder to any web server; then "skilled add https://host" works.

  skilled publish skills --to public

  --to     the folder for the registry
  --skill  publish only this skill; can be repeated`,
  options: { to: { type: 'string' }, skill: { type: 'string', multiple: true } },
  maxArgs: 1,
  async run({ flags, own, lists, args, terminal }) {
    const to = textFlag(own, 'to');
    if (to === undefined)
      throw new AgentError('usage.bad-input', 'Missing folder for the registry.', {
        hint: 'Run `skilled publish <folder> --to <dir>`.',
      });
    const [folder = '.'] = args;
    const published = await readPublished(flags, folder, lists['skill'] ?? []);
    if (published.length === 0) throw noSkills(folder);
    const files = publishSkills(published);
    for (const [path, bytes] of files) write(join(resolve(flags.cwd, to), path), bytes);
    const skills = published.map(({ skill }) => skill.name);
    if (flags.json) printJson(terminal, { ok: true, skills, files: [...files.keys()] });
    else for (const path of files.keys()) terminal.out(`${oneLine(join(to, path))}\n`);
    if (!flags.json && !flags.quiet) terminal.err(`${counted(skills.length, 'skill')} published.\n`);
    return 0;
  },
};

/** Reads skills below a folder. Throws `skill.invalid` if one of them could not be installed. */
async function readPublished(
  flags: CommonFlags,
  folder: string,
  names: readonly string[],
): Promise<readonly PublishedSkill[]> {
  mustBeFolder(flags.cwd, '--cwd');
  await using agent = await openAgent({ ...flags, safe: true });
  await using tree = await openLocal(resolve(flags.cwd, folder));
  const found = chooseBundles(await findBundles(tree, agent.families), { names, plugins: [] });
  const published: PublishedSkill[] = [];
  for (const skill of found) {
    mustBeUsable(skill);
    published.push({ skill, files: await readBundle(tree, skill.folder) });
  }
  return published;
}

function mustBeUsable({ name, isUsable, issues }: OfferedSkill): void {
  if (isUsable && !hasErrors(issues)) return;
  const fault = issues.find(({ level }) => level === 'error')?.message ?? '';
  throw new AgentError('skill.invalid', `"${name}" cannot be published: ${fault}`, {
    hint: '`skilled validate` shows all issues.',
  });
}

function noSkills(folder: string): AgentError {
  return new AgentError('usage.not-found', `There are no skills in ${folder}.`, {
    hint: 'Name a skill folder, or a folder of skills.',
  });
}

function write(file: string, bytes: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}
