import type { AllowedNames } from '../../engines/sop/language/find-script-issues.ts';
import { skillNames } from '../../core/names.ts';

/** The names that a list allows, with and without their qualifier; undefined when there is no list. */
export function allowedNames(listed: readonly string[] | undefined): AllowedNames | undefined {
  if (listed === undefined) return undefined;
  const known = new Set(listed.flatMap((name) => [name, withoutQualifier(name)]));
  return {
    names: listed,
    has: (command) =>
      skillNames([command], 1, [])?.some((name) => known.has(name) || known.has(withoutQualifier(name))) ===
      true,
  };
}

function withoutQualifier(name: string): string {
  return name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('/')) + 1);
}
