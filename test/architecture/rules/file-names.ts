import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';

const folder = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const file = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:(?:\.[a-z]+)?\.(?:test|test-d|stress|fuzz))?\.ts$/;

/** Files and folders must have names in kebab-case. */
export const fileNames: Rule = {
  name: 'file-names',
  find(tree) {
    return tree
      .filter((source) => source.role !== 'fixture')
      .filter(({ path }) => {
        const parts = path.split('/');
        const name = parts.pop() ?? '';
        return !file.test(name) || !parts.every((part) => folder.test(part));
      })
      .map((source) => at(source, 1, 'Name files and folders in kebab-case.'));
  },
};
