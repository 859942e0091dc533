import type { RecursiveSkilledAgent } from '../../../config/preset.ts';

/** That no skill is made of anything, and how to write one that can be, in lines. */
export function nothingToBuild({ families }: RecursiveSkilledAgent): string {
  const able = families.find(({ build, template }) => build !== undefined && template !== undefined);
  const none = 'There is nothing to build: no skill here is made of specs, such as specs/index.md.';
  if (able === undefined) return `${none}\n`;
  return `${none}\n  Write one: \`skilled new ${able.id} <name>\`\n`;
}
