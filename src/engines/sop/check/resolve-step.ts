import {
  errorAt,
  type CheckedStep,
  type PlanStep,
  type PlanReference,
  type ReferenceTarget,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';

/** A step with its references resolved. Only `sources` contains references that could not be resolved. */
export interface ResolvedStep extends PlanStep, Pick<CheckedStep, 'needs' | 'values' | 'list' | 'guard'> {
  /**
   * The sources of the arguments, in order. If no argument of an `each` step refers to the item, the item
   * becomes the first argument.
   */
  readonly sources: readonly ArgumentSource[];
}

/** The variables to which a script can refer. */
export interface Variables {
  readonly find: FindTarget;
  /** Whether a step of the plan declares the variable. */
  isDeclared(name: string): boolean;
  suggest(name: string): string | undefined;
}

/** Resolves the references of a step. Reports references to unknown variables as issues. */
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
      position: argument.position,
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
  reference: PlanReference,
  variables: Variables,
  issues: SopIssue[],
  isItemThere = false,
): ReferenceTarget | undefined {
  const { path, position } = reference;
  const target = variables.find(path, isItemThere);
  if (target !== undefined) return target;
  const [first = path] = path.split('.', 1);
  if (itemNames.has(first)) {
    const message = `$${first} exists only in the arguments of an "each" step.`;
    issues.push(
      errorAt(
        position,
        'sop.item-outside-each',
        message,
        `Declare @${first}, or write @name each $list command.`,
      ),
    );
  } else if (first === 'input') {
    const message = `$${path} refers to the input, but no input is given.`;
    issues.push(errorAt(position, 'sop.undefined', message, 'Pass an input, or declare @input.'));
  } else {
    const hint =
      meantReference(path, variables, isItemThere) ??
      variables.suggest(path) ??
      variables.suggest(first) ??
      `Declare @${first}, or put the word in quotes.`;
    issues.push(
      errorAt(position, 'sop.undefined', `$${path} refers to a variable that no step declares.`, hint),
    );
  }
  return undefined;
}

/**
 * Returns a hint to remove extra punctuation from a reference, such as the braces in `${name}`, if this makes
 * the reference valid.
 */
function meantReference(path: string, { find }: Variables, isItemThere: boolean): string | undefined {
  const [, inBraces] = /^\{([^{}]+)\}$/.exec(path) ?? [];
  if (inBraces !== undefined && find(inBraces, isItemThere)) return `Write $${inBraces}, without braces.`;
  const shortened = path.slice(0, -1);
  const hasTrailingPunctuation = /\p{P}$/u.test(path) && find(shortened, isItemThere) !== undefined;
  return hasTrailingPunctuation ? `Put a space between $${shortened} and ${path.slice(-1)}` : undefined;
}

/**
 * Resolves the reference in a step's guard. The guard cannot refer to a list item, because it is evaluated
 * only once per step.
 */
function guardOf(
  step: PlanStep,
  of: PlanReference,
  variables: Variables,
  issues: SopIssue[],
): ReferenceTarget | undefined {
  const [first = ''] = of.path.split('.', 1);
  if (step.each === undefined || !itemNames.has(first)) return targetOf(of, variables, issues);
  const message = `"when" applies to the whole step, not to each item, so it cannot use $${first}.`;
  const hint = 'Filter the list in an earlier step.';
  issues.push(errorAt(of.position, 'sop.item-in-guard', message, hint));
  return undefined;
}

function hasItem(sources: readonly ArgumentSource[]): boolean {
  return sources.some(({ kind }) => kind === 'item');
}

function itemAt({ position }: PlanReference): ArgumentSource {
  return { kind: 'item', target: { variable: 'item', keys: [] }, position };
}

/**
 * Returns the names without duplicates. Omits a supplied input, because its value is known before the plan
 * runs.
 */
function onceEach(names: readonly string[], variables: Variables): readonly string[] {
  const declared = names.filter((name) => variables.isDeclared(name));
  return declared.length > 1 ? [...new Set(declared)] : declared;
}

/**
 * A function that splits a path into a variable and the path inside the variable's value. It returns
 * undefined if there is no such variable.
 */
type FindTarget = (path: string, isItemThere: boolean) => ReferenceTarget | undefined;

/** The names of the item and its index in the arguments of an `each` step. */
const itemNames: ReadonlySet<string> = new Set(['item', 'index']);

/**
 * Creates a function that finds the variable in a path. The function chooses the longest matching name,
 * because a name can contain dots.
 */
export function createTargets(names: ReadonlySet<string>): FindTarget {
  // Prefixes whose length no name has are skipped. This speeds up the lookup of paths with many dots.
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

/** The source of an argument's value. */
export type ArgumentSource = { readonly position: ScriptPosition; readonly key?: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly target: ReferenceTarget }
  /** The item of an `each` step, or its index. */
  | { readonly kind: 'item'; readonly target: ReferenceTarget }
);
