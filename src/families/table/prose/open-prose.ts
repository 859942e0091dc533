import { join } from 'node:path';
import { optional, type ErrorData, type Scope } from '../../../core/index.ts';
import { settleGeneration } from '../../../generation/lock.ts';
import { planGeneration } from '../../../generation/plan-generation.ts';
import { failureOf } from '../../../generation/status.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { noProse, type ProseRules } from '../rules/drafts.ts';
import { labelOf } from '../show/text.ts';
import type { PreparedTable } from './generate-prose.ts';
import { buildPromise, proseItems, proseRecipe, proseTarget, type ProseItem } from './prose-items.ts';
import { runProse } from './run-prose.ts';

/**
 * Opens a table's prose rules. Rules with code in the table's folder can run; all others are listed as not
 * enforced.
 */
export async function openProse(definition: TableDefinition, scope: Scope): Promise<ProseRules> {
  const { dir } = scope.skill;
  if (proseItems(definition).length === 0) return noProse;
  if (dir !== '') await settleGeneration(dir, proseRecipe(definition)?.specs);
  const { module, enforced, open, failure } = inspectCode(definition, dir);
  const why = (definition as PreparedTable).proseFailure ?? failure;
  const byCall = new Map(enforced.map((item) => [`${item.kind}:${item.name}`, item]));
  return {
    notEnforced: open.map((item) => sentenceFor(item, scope, why)),
    has: (kind, name) => byCall.has(`${kind}:${name}`),
    run(kind, name, inputs) {
      const item = byCall.get(`${kind}:${name}`);
      return item === undefined ? noProse.run(kind, name, inputs) : runProse(item, { module, scope }, inputs);
    },
  };
}

function sentenceFor(
  { kind, field, prose }: ProseItem,
  { skill }: Scope,
  why: ErrorData | undefined,
): string {
  const what =
    field === undefined ? `The rule "${firstLine(prose.text)}"` : `The ${names[kind]} of ${labelOf(field)}`;
  const reason =
    why === undefined
      ? 'no code has been generated for it yet'
      : `no code could be generated for it: ${firstLine(why.message)}`;
  return `${what} is not enforced (${skill.file}:${prose.line}): ${reason.replace(/\.$/, '')}.`;
}

const names: Readonly<Record<ProseItem['kind'], string>> = {
  validate: 'Validator',
  present: 'Presenter',
  resolve: 'Resolver',
  enumerate: 'Enumerator',
  derive: 'Derivator',
  require: 'condition of Required',
  key: 'rule for the Primary Key',
  rule: 'rule',
};

const longest = 200; // The maximum number of characters shown of a line.

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/**
 * Finds the prose rules that the code in the table's folder implements. Handwritten code is assumed to
 * implement all rules. Never throws.
 */
function inspectCode(
  definition: TableDefinition,
  dir: string,
): {
  /** The absolute path of the code module. */
  readonly module: string;
  readonly enforced: readonly ProseItem[];
  /** The prose rules for which no code has been generated. */
  readonly open: readonly ProseItem[];
  /** The reason why some prose rules have no code. */
  readonly failure?: ErrorData;
} {
  const items = proseItems(definition);
  const recipe = proseRecipe(definition);
  const plan = dir === '' || recipe === undefined ? undefined : planGeneration(dir, recipe);
  const file = plan?.files.find(({ spec }) => spec.target === proseTarget);
  const module = join(dir, 'src', proseTarget);
  const isGeneratedFor = (item: ProseItem): boolean => {
    if (file?.digest === undefined) return false;
    return plan?.before === undefined || `${plan.before.contract}\n`.includes(`${buildPromise(item)}\n`);
  };
  return {
    module,
    enforced: items.filter(isGeneratedFor),
    open: items.filter((item) => !isGeneratedFor(item)),
    ...optional('failure', plan && failureOf(dir, plan)?.error),
  };
}
