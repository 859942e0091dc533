import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validatePaths } from '../src/doctor/validate.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { defaultSkillLimits } from '../src/skills/limits.ts';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import type { Row } from './measure.ts';
import { referenceFaults } from './reference-validator.ts';

/**
 * D5: parses every descriptor of the corpus separately. Counts crashes, usable descriptors, silent repairs
 * and verdicts that differ from the reference.
 */
export function robustness(workload: Workload): {
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
} {
  const files = globSync('**/*', { cwd: workload.root })
    .filter((file) => /(?:^|\/)skill\.md$/i.test(file))
    .map((file) => join(workload.root, file));
  const faults: string[] = [];
  let crashes = 0;
  let describable = 0;
  let usable = 0;
  let strictEqual = 0;
  for (const file of files) {
    try {
      const [skill] = agentOn(join(file, '..'))
        .skills.list()
        .filter((entry) => entry.source === 'explicit' && entry.file === file);
      const hasText = /[\p{L}\p{N}]/u.test(readFileSync(file, 'utf8'));
      const good =
        skill !== undefined &&
        skill.status !== 'invalid' &&
        skill.name !== '' &&
        skill.card.description !== '';
      if (hasText) describable++;
      if (good) usable++;
      if (hasText && !good) faults.push(`not usable: ${file}`);
      const reference = referenceFaults(file);
      const repaired = reference.some(
        (fault) => !/^(?:name (?!missing)|unknown field|metadata|compatibility|no SKILL)/.test(fault),
      );
      if (repaired && skill?.issues.some((issue) => issue.level !== 'info') !== true)
        faults.push(`repaired without a finding (${reference.join(', ')}): ${file}`);
      const [verdict] = validatePaths([file], {
        families: builtinFamilies,
        limits: defaultSkillLimits,
        strict: true,
      });
      if (verdict?.valid === (reference.length === 0)) strictEqual++;
      else
        faults.push(
          `strict says ${String(verdict?.valid)}, the reference says "${reference.join(', ') || 'valid'}": ${file}`,
        );
    } catch (thrown) {
      crashes++;
      faults.push(
        `crash: ${file}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
      );
    }
  }
  const share = usable / describable;
  return {
    faults: share >= 0.99 ? faults.filter((fault) => !fault.startsWith('not usable')) : faults,
    rows: [
      {
        id: 'D5',
        what: 'descriptors processed, crashes',
        figure: `${files.length}, ${crashes}`,
        target: 'all, 0',
        met: crashes === 0,
      },
      {
        id: 'D5',
        what: 'usable in lenient mode, of those with any text',
        figure: `${usable} of ${describable} (${(share * 100).toFixed(1)} %)`,
        target: '≥ 99 %',
        met: share >= 0.99,
      },
      {
        id: 'D5',
        what: 'strict verdict equals the reference rules',
        figure: `${strictEqual} of ${files.length}`,
        target: 'all',
        met: strictEqual === files.length,
      },
    ],
  };
}
