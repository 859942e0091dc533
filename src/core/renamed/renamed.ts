const warned = new Set<string>();

/** Warns that a program uses a name from the previous release, once per process and name. */
export function warnRenamed(old: string, current: string): void {
  if (warned.has(old)) return;
  warned.add(old);
  process.emitWarning(`${old} is now ${current}. The next release removes the old name.`, {
    type: 'DeprecationWarning',
    code: 'SKILLED_RENAMED',
  });
}

/**
 * Renames options to their current names. An old name still works, with a warning. If both names are set, the
 * current one takes precedence. `names` maps old names to current ones, and `owner` names the options in the
 * warning.
 */
export function acceptRenamed<Options extends object>(
  options: Options,
  names: Readonly<Record<string, string>>,
  owner: string,
): Options {
  const old = Object.keys(names).filter((name) => Object.hasOwn(options, name));
  if (old.length === 0) return options;
  const values = new Map<string, unknown>(Object.entries(options));
  for (const name of old) {
    const current = names[name] ?? name;
    warnRenamed(`${owner}.${name}`, `${owner}.${current}`);
    if (values.get(current) === undefined) values.set(current, values.get(name));
    values.delete(name);
  }
  return Object.fromEntries(values) as Options;
}

/**
 * Returns getters for an object's old member names. Each getter warns and returns the member at the current
 * path, such as `run.id`. The getters are not enumerable, so copies, comparisons and JSON omit them.
 */
export function renamedMembers(
  paths: Readonly<Record<string, string>>,
  owner: string,
): PropertyDescriptorMap {
  const getters = Object.entries(paths).map(([old, path]): [string, PropertyDescriptor] => [
    old,
    {
      configurable: true,
      get(this: object): unknown {
        warnRenamed(`${owner}.${old}`, `${owner}.${path}`);
        return memberAt(this, path);
      },
    },
  ]);
  return Object.fromEntries(getters);
}

/** Returns the member at a path. A method is bound to its object. */
function memberAt(object: object, path: string): unknown {
  let holder: unknown = object;
  let member: unknown = object;
  for (const name of path.split('.')) {
    holder = member;
    member = (holder as Readonly<Record<string, unknown>>)[name];
  }
  return typeof member === 'function' ? (member.bind(holder) as unknown) : member;
}

/** Getters for the deprecated property names that all databases have. */
export const earlierDatabaseMembers = renamedMembers({ place: 'location' }, 'Database');

const limitNames = { money: 'cost' };

/** Renames limits to their current names. Warns if an old name is used. */
export function acceptRenamedLimits<Limits extends object>(limits: Limits): Limits {
  return acceptRenamed(limits, limitNames, 'limits');
}

/** Returns a function to export under its previous name. The first call causes a warning. */
export function renamedFunction<Given extends readonly unknown[], Result>(
  old: string,
  current: string,
  call: (...given: Given) => Result,
): (...given: Given) => Result {
  return (...given) => {
    warnRenamed(old, current);
    return call(...given);
  };
}
