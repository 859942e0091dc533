import { join } from 'node:path';
import { optional, type ErrorData, type Scope } from '../../../core/index.ts';
import { settleGeneration } from '../../../generation/lock.ts';
import { planGeneration } from '../../../generation/plan-generation.ts';
import { failureOf } from '../../../generation/status.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { noProse, type ProseRules } from '../rules/prose-rules.ts';
import { labelOf } from '../show/label-of.ts';
import { buildPromise } from './build-promise.ts';
import type { PreparedTable } from './prepared-table.ts';
import { proseItems, type ProseItem } from './prose-items.ts';
import { proseRecipe, proseTarget } from './prose-recipe.ts';
import { runProse } from './run-prose.ts';

/** The rules of a table that are written in words, as far as there is code for them in its folder. */
export async function openProse(definition: TableDefinition, scope: Scope): Promise<ProseRules> {
  const { dir } = scope.skill;
  if (proseItems(definition).length === 0) return noProse;
  if (dir !== '') await settleGeneration(dir, proseRecipe(definition)?.specs);
  const { module, kept, open, failure } = lookAtCode(definition, dir);
  const why = (definition as PreparedTable).proseFailure ?? failure;
  const byCall = new Map(kept.map((item) => [`${item.kind}:${item.name}`, item]));
  return {
    notEnforced: open.map((item) => sentenceFor(item, scope, why)),
    has: (kind, name) => byCall.has(`${kind}:${name}`),
    run(kind, name, cases) {
      const item = byCall.get(`${kind}:${name}`);
      return item === undefined ? noProse.run(kind, name, cases) : runProse(item, { module, scope }, cases);
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
      ? 'no code was made of it yet'
      : `no code could be made of it: ${firstLine(why.message)}`;
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

const longest = 200; // characters

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** What there is of code for the words of a table. */
interface CodeState {
  /** The absolute path of the code. */
  readonly module: string;
  /** What the code there does, by the words that it was made of. */
  readonly kept: readonly ProseItem[];
  /** What is written and nothing does. */
  readonly open: readonly ProseItem[];
  /** Why not all of it is code. */
  readonly failure?: ErrorData;
}

/** Looks which of the words of a table the code in its folder was made of; code that a person wrote is for all of them. Never throws. */
function lookAtCode(definition: TableDefinition, dir: string): CodeState {
  const items = proseItems(definition);
  const recipe = proseRecipe(definition);
  const plan = dir === '' || recipe === undefined ? undefined : planGeneration(dir, recipe);
  const file = plan?.files.find(({ spec }) => spec.target === proseTarget);
  const module = join(dir, 'src', proseTarget);
  const isMadeFor = (item: ProseItem): boolean => {
    if (file?.digest === undefined) return false;
    return plan?.before === undefined || `${plan.before.contract}\n`.includes(`${buildPromise(item)}\n`);
  };
  return {
    module,
    kept: items.filter(isMadeFor),
    open: items.filter((item) => !isMadeFor(item)),
    ...optional('failure', plan && failureOf(dir, plan)?.error),
  };
}
