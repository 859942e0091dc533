import {
  errorAt,
  type CheckedStep,
  type PlanStep,
  type Reference,
  type ReferenceTarget,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';

/** A step whose references were looked up; what could not be found is left out of everything but its sources. */
export interface ResolvedStep extends PlanStep, Pick<CheckedStep, 'needs' | 'values' | 'list' | 'guard'> {
  /** Of its arguments, in their order; the item first where `each` puts it there. */
  readonly sources: readonly ArgumentSource[];
}

/** What is looked up in. */
export interface Variables {
  readonly find: FindTarget;
  /** Whether a step declares it. */
  isDeclared(name: string): boolean;
  suggest(word: string): string | undefined;
}

/** Finds the variables that a step refers to; a reference to nothing is an issue. */
export function resolveStep(step: PlanStep, variables: Variables, issues: SopIssue[]): ResolvedStep {
  const { each, when } = step;
  const list = each === undefined ? undefined : targetOf(each, variables, issues);
  const found = step.arguments.map((argument): ArgumentSource => {
    if (argument.kind === 'text') return argument;
    const target = targetOf(argument, variables, issues, each !== undefined);
    const isItem = each !== undefined && target !== undefined && itemNames.has(target.variable);
    return {
      kind: isItem ? 'item' : 'variable',
      target: target ?? { variable: argument.path, keys: [] },
      place: argument.place,
      ...(argument.key === undefined ? {} : { key: argument.key }),
    };
  });
  const guard = when === undefined ? undefined : guardOf(step, when.of, variables, issues);
  const values = found.flatMap((source) => (source.kind === 'variable' ? [source.target.variable] : []));
  const needs = [list?.variable, ...values, guard?.variable].filter((name) => name !== undefined);
  return {
    ...step,
    sources: each === undefined || hasItem(found) ? found : [itemAt(each), ...found],
    values: onceEach(values, variables),
    needs: onceEach(needs, variables),
    ...(list === undefined ? {} : { list }),
    ...(guard === undefined || when === undefined ? {} : { guard: { ...guard, isNegated: when.isNegated } }),
  };
}

function targetOf(
  reference: Reference,
  variables: Variables,
  issues: SopIssue[],
  isItemThere = false,
): ReferenceTarget | undefined {
  const { path, place } = reference;
  const target = variables.find(path, isItemThere);
  if (target !== undefined) return target;
  const [first = path] = path.split('.', 1);
  if (itemNames.has(first)) {
    const message = `$${first} is there only in the arguments of an "each" step.`;
    issues.push(
      errorAt(
        place,
        'sop.item-outside-each',
        message,
        `Declare @${first}, or write @name each $list command.`,
      ),
    );
  } else if (first === 'input') {
    const message = `$${path} refers to the input, and none is supplied.`;
    issues.push(errorAt(place, 'sop.undefined', message, 'Supply an input, or declare @input.'));
  } else {
    const hint =
      meantReference(path, variables, isItemThere) ??
      variables.suggest(path) ??
      variables.suggest(first) ??
      `Declare @${first}, or put the word in quotes.`;
    issues.push(
      errorAt(place, 'sop.undefined', `$${path} refers to a variable that no step declares.`, hint),
    );
  }
  return undefined;
}

/** The reference inside of what another language, or a sentence, would have around it: `${name}`, `$name,`. */
function meantReference(path: string, { find }: Variables, isItemThere: boolean): string | undefined {
  const [, inBraces] = /^\{([^{}]+)\}$/.exec(path) ?? [];
  if (inBraces !== undefined && find(inBraces, isItemThere)) return `Write $${inBraces}, without braces.`;
  const word = path.slice(0, -1);
  const isEndOfWord = /\p{P}$/u.test(path) && find(word, isItemThere) !== undefined;
  return isEndOfWord ? `Put a blank between $${word} and ${path.slice(-1)}` : undefined;
}

/** Whether a step happens is decided once, before there is an item. */
function guardOf(
  step: PlanStep,
  of: Reference,
  variables: Variables,
  issues: SopIssue[],
): ReferenceTarget | undefined {
  const [first = ''] = of.path.split('.', 1);
  if (step.each === undefined || !itemNames.has(first)) return targetOf(of, variables, issues);
  const message = `"when" decides about the whole step, so $${first} is not there.`;
  const hint = 'Leave items out before: make a list of those that are wanted.';
  issues.push(errorAt(of.place, 'sop.item-in-guard', message, hint));
  return undefined;
}

function hasItem(sources: readonly ArgumentSource[]): boolean {
  return sources.some(({ kind }) => kind === 'item');
}

function itemAt({ place }: Reference): ArgumentSource {
  return { kind: 'item', target: { variable: 'item', keys: [] }, place };
}

/** A supplied input is there from the beginning, so that nothing waits for it. */
function onceEach(names: readonly string[], variables: Variables): readonly string[] {
  const declared = names.filter((name) => variables.isDeclared(name));
  return declared.length > 1 ? [...new Set(declared)] : declared;
}

/** Finds the variable that a path begins with and the way into its value; undefined when there is no such variable. */
type FindTarget = (path: string, isItemThere: boolean) => ReferenceTarget | undefined;

/** The names that mean the item and its index in the arguments of an `each`. */
const itemNames: ReadonlySet<string> = new Set(['item', 'index']);

/** Finds variables among these names, the longest one first: dots may belong to a name or lead into a value. */
export function createTargets(names: ReadonlySet<string>): FindTarget {
  // Only beginnings as long as some name are looked up, which keeps a path of many dots cheap.
  const lengths = new Set([...names, ...itemNames].map((name) => name.length));
  return (path, isItemThere) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
      if (!lengths.has(end)) continue;
      const variable = path.slice(0, end);
      if (names.has(variable) || (isItemThere && itemNames.has(variable)))
        return { variable, keys: end === path.length ? [] : path.slice(end + 1).split('.') };
    }
    return undefined;
  };
}

/** Where the value of an argument comes from. */
export type ArgumentSource = { readonly place: ScriptPosition; readonly key?: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly target: ReferenceTarget }
  /** The item of an `each`, or its index. */
  | { readonly kind: 'item'; readonly target: ReferenceTarget }
);
