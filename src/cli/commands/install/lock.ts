import { join } from 'node:path';
import { counted, optional } from '../../../core/index.ts';
import { adoptSkills } from '../../../install/adopt.ts';
import type { LockedSkill } from '../../../install/lock-file.ts';
import { applyChanges, digestAt } from '../../../install/transaction.ts';
import { executablesAt, filesAt } from '../../../install/verify.ts';
import { oneLine, pasteable, printJson, type CliCommand } from '../../command-kit.ts';
import { configFor, withInstall } from './opened.ts';

/** `skilled lock`: writes the lock from the skills that are there. */
export const lock: CliCommand = {
  summary: 'Write the lock from the skills that are in .agents/skills.',
  usage: `Usage: skilled lock [--changed] [--user] [--json]

Adds skills that the lock does not list, and drops those whose folder is gone. Takes
origins over from a skills-lock.json.

  skilled lock

  --changed  also lock the current files of skills that were changed since
  --user     lock the skills in ~/.agents/skills`,
  options: { changed: { type: 'boolean' }, user: { type: 'boolean' } },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    return withInstall(invocation, configFor(invocation), async ({ target, lock: known, staging, agent }) => {
      const added = await adoptSkills(target, known, agent.families);
      const gone = [...known.keys()].filter((name) => digestAt(join(target.skills, name)) === undefined);
      const changed = [...known].flatMap(([name, entry]): (readonly [string, LockedSkill])[] => {
        const digest = digestAt(join(target.skills, name));
        return digest === undefined || digest === entry.digest
          ? []
          : [[name, relocked(join(target.skills, name), digest, entry)]];
      });
      const isChanging = own['changed'] === true;
      const entries = [...added, ...(isChanging ? changed : [])];
      applyChanges(target, staging, [
        ...entries.map(([name, entry]) => ({ name, entry, isRecordOnly: true as const })),
        ...gone.map((name) => ({ name, isRecordOnly: true as const })),
      ]);
      const left = isChanging ? [] : changed.map(([name]) => name);
      const names = { added: [...added.keys()], removed: gone, changed: changed.map(([name]) => name), left };
      if (flags.json) printJson(terminal, { ok: true, lock: target.lockFile, ...names });
      else {
        for (const name of names.added) terminal.out(`locked  ${oneLine(name)}\n`);
        for (const name of isChanging ? names.changed : []) terminal.out(`locked again  ${oneLine(name)}\n`);
        for (const name of gone) terminal.out(`dropped  ${oneLine(name)}\n`);
        if (left.length > 0)
          terminal.err(
            pasteable(
              `${counted(left.length, 'skill')} changed since: ${left.join(', ')}. To lock the current files: \`skilled lock --changed\`\n`,
              terminal,
            ),
          );
      }
      return 0;
    });
  },
};

/** Returns an entry with the current files of a skill. Its version no longer describes them, so it is dropped. */
function relocked(dir: string, digest: string, entry: LockedSkill): LockedSkill {
  const files = filesAt(dir);
  return {
    ...optional('source', entry.source),
    ...optional('from', entry.from),
    path: entry.path,
    digest,
    files,
    executables: executablesAt(dir, Object.keys(files)),
    ...optional('requires', entry.requires),
    provenance: { ...entry.provenance, edited: true },
  };
}
