import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import { AgentError } from '../../../core/error.ts';
import type { Skill } from '../../../core/skill.ts';
import { auditBundle } from '../../../doctor/audit/audit.ts';
import { placeOf, runningFiles, skillEffect, trustOf, vouchFor } from '../../../doctor/trust.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { pasteable } from '../../output/pasteable.ts';
import { factLines } from './fact-lines.ts';
import { findingLines } from './finding-lines.ts';

/** Trusts the files of a skill as they are now: its code may run, and it may use the tools that it names. */
export async function grantSkill(
  { flags, terminal }: Invocation,
  agent: RecursiveSkilledAgent,
  skill: Skill,
): Promise<number> {
  const { name, card } = skill;
  const place = placeOf(skill);
  if (skill.file === '')
    throw new AgentError('usage.bad-input', `"${name}" was made in code and has no files to trust.`, {
      hint: 'Rules decide about it: `skilled config explain permissions`',
    });
  const { digest, fault } = vouchFor(skill);
  if (digest === undefined)
    throw new AgentError('skill.invalid', `"${name}" cannot be trusted: its folder ${fault}.`, {
      hint: 'Put a copy in the place of the link, or look at the folder.',
    });
  const book = ownTrustBook();
  const { bundles } = book.list();
  const isKnown = bundles.some((known) => known.digest === digest);
  const files = runningFiles(agent, skill);
  const tools = card.allowedTools ?? [];
  const findings = auditBundle(place);
  if (vouchFor(skill).digest !== digest)
    throw new AgentError('skill.changed', `The files of "${name}" changed while they were looked at.`, {
      hint: 'Look at them, and grant it again.',
    });
  const needs = trustOf(agent, book, skill) !== undefined;
  await book.trust({ digest, name, dir: place });
  if (flags.json) {
    printJson(terminal, { ok: true, name, dir: place, digest, files, tools, findings, needed: needs });
    return 0;
  }
  const facts = {
    ...{ place, digest, 'can run': files.join(', ') || 'nothing' },
    ...{ does: skillEffect(agent, skill) ?? '', 'may use': tools.join(', ') },
  };
  terminal.out(
    `${name} ${isKnown ? 'was trusted already' : 'is trusted as it is now'}.\n\n${factLines(facts)}`,
  );
  terminal.out(findingLines(findings, skill.dir, terminal));
  if (!flags.quiet)
    terminal.err(
      needs
        ? pasteable(
            `One changed byte, and it is asked again. To take it back: \`skilled trust revoke ${name}\`\n`,
            terminal,
          )
        : 'Its code needs no trust here; the tools that it names count from now on.\n',
    );
  return 0;
}
