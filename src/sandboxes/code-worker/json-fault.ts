import { taken } from './taken.ts';

const deepest = 60;

/** What in a value JSON would change or could not hold, with the way to it; undefined when there is nothing. */
export function findJsonFault(value: unknown): string | undefined {
  return faultAt(value, '', 0);
}

function faultAt(value: unknown, path: string, depth: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return taken.isFinite(value) ? undefined : at(path, taken.text(value));
    case 'object':
      break;
    default:
      return at(path, `a ${typeof value}`);
  }
  if (depth === deepest) return at(path, 'nested too deep, or within itself');
  if (taken.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = faultAt(value[index], `${path}[${index}]`, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  return faultOfObject(value, path, depth);
}

function faultOfObject(value: object, path: string, depth: number): string | undefined {
  const prototype = taken.prototypeOf(value);
  if (prototype !== null && taken.prototypeOf(prototype) !== null) return at(path, `a ${nameOf(prototype)}`);
  const keys = taken.keys(value);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const fault = faultAt((value as Record<string, unknown>)[key], `${path}.${key}`, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function nameOf(prototype: object): string {
  const maker = taken.hasOwn(prototype, 'constructor') ? prototype.constructor : undefined;
  return typeof maker === 'function' && taken.hasOwn(maker, 'name')
    ? taken.text(maker.name)
    : 'class instance';
}

function at(path: string, what: string): string {
  const place = path === '' ? 'it' : taken.slice(path[0] === '.' ? taken.slice(path, 1) : path, 0, 200);
  return `${place} is ${what}`;
}
