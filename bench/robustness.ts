import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issue } from '../src/core/index.ts';
import { validatePaths, type ValidateOptions } from '../src/doctor/validate.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { defaultSkillLimits } from '../src/skills/limits.ts';
import { agentOn } from './agent.ts';
import { skillFilesOf, type Workload } from './data.ts';
import type { Row } from './measure.ts';
import { referenceFaults } from './reference-validator.ts';

const lenient: ValidateOptions = {
  families: builtinFamilies,
  limits: defaultSkillLimits,
  strict: false,
};

/** The codes of checks beyond the standard, which the reference validator does not perform. */
const ownChecks: ReadonlySet<Issue['code']> = new Set<Issue['code']>([
  'description.secret',
  'description.template',
  'reference.missing',
  'field.tool-rule',
]);

/**
 * D5: parses each descriptor of the corpus separately. Counts crashes, usable descriptors, silent repairs and
 * verdicts that differ from those of the reference validator.
 */
export function robustness(workload: Workload): {
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
} {
  const files = skillFilesOf(workload).map((file) => join(workload.root, file));
  const faults: string[] = [];
  let crashes = 0;
  let describable = 0;
  let usable = 0;
  let strictEqual = 0;
  const verdicts = compareVerdicts();
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
      const [verdict] = validatePaths([file], { ...lenient, strict: true });
      const issues = verdict?.issues ?? [];
      const isStandard = !issues.some(({ level, code }) => level === 'error' && !ownChecks.has(code));
      if (isStandard === (reference.length === 0)) strictEqual++;
      else
        faults.push(
          `strict says ${String(isStandard)}, the reference says "${reference.join(', ') || 'valid'}": ${file}`,
        );
      verdicts.add(file, skill?.status, issues);
    } catch (thrown) {
      crashes++;
      faults.push(
        `crash: ${file}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
      );
    }
  }
  const share = usable / describable;
  return {
    faults: [
      ...(share >= 0.99 ? faults.filter((fault) => !fault.startsWith('not usable')) : faults),
      ...verdicts.faults,
    ],
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
      ...verdicts.rows(),
    ],
  };
}

/**
 * Compares the verdicts of `list` and `validate`. Counts issues that report the same fault twice, and the
 * files that each check beyond the standard rejects.
 */
function compareVerdicts(): {
  add(file: string, status: string | undefined, strict: readonly Issue[]): void;
  rows(): readonly Row[];
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const rejected = new Map([...ownChecks].map((code) => [code, 0]));
  let files = 0;
  let differing = 0;
  let repeated = 0;
  return {
    add(file, status, strict) {
      files++;
      const [verdict] = validatePaths([file], lenient);
      const isListed = status !== undefined && status !== 'invalid';
      if (isListed !== verdict?.valid) {
        differing++;
        faults.push(`list says ${String(status)}, validate says ${String(verdict?.valid)}: ${file}`);
      }
      const codes = (verdict?.issues ?? []).map(({ code }) => code);
      const twice = sameFaults.find((pair) => pair.every((code) => codes.some((other) => other === code)));
      if (twice !== undefined) {
        repeated++;
        faults.push(`one fault is reported as ${twice.join(' and ')}: ${file}`);
      }
      for (const code of new Set(strict.map((issue) => issue.code)))
        if (ownChecks.has(code)) rejected.set(code, (rejected.get(code) ?? 0) + 1);
    },
    faults,
    rows: () => [
      {
        id: 'D5',
        what: 'files on which list and validate differ',
        figure: `${differing} of ${files}`,
        target: '0',
        met: differing === 0,
      },
      {
        id: 'D5',
        what: 'files with one fault reported twice',
        figure: `${repeated} of ${files}`,
        target: '0',
        met: repeated === 0,
      },
      {
        id: 'D5',
        what: 'files rejected by strict checks beyond the standard',
        figure: [...rejected].map(([code, count]) => `${code} ${count}`).join(', '),
      },
    ],
  };
}

/** Pairs of codes that name the same fault. */
const sameFaults: readonly (readonly [string, string])[] = [
  ['name.form', 'standard.name'],
  ['name.derived', 'standard.name'],
  ['name.derived', 'standard.frontmatter'],
  ['description.derived', 'standard.description'],
  ['description.derived', 'standard.frontmatter'],
  ['description.long', 'standard.description'],
];
