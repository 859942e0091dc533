import { optional } from '../core/collections.ts';
import { settingsDefinition } from './settings-definition.ts';
import { objectOf, type Shape } from './settings-shape.ts';

/** Groups in which a key that is not known is a mistake, by what their keys name: misspelt, it would silently not apply. */
const strictGroups = new Map([
  ['limits', 'a limit'],
  ['permissions', 'a setting of permissions'],
  ['sessionConfig', 'a setting of sessions'],
]);

/** The shape of a whole settings file; what is unknown here stays for others to read. */
export const settingsRoot: Shape = objectOf(
  Object.fromEntries(
    [...Map.groupBy(settingsDefinition, ({ key }) => key.split('.')[0] ?? key)].map(([name, group]) => {
      const [first] = group;
      if (first?.key === name) return [name, describedShape(first)];
      const members = group.map((setting): [string, Shape] => [
        setting.key.slice(name.length + 1),
        describedShape(setting),
      ]);
      return [name, objectOf(Object.fromEntries(members), optional('names', strictGroups.get(name)))];
    }),
  ),
);

/** The shape of what lies at the end of a path of names; undefined where nothing is known of it. */
export function shapeAt(path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((shape, name) => shape?.member?.(name), settingsRoot);
}

/** Editors show the description of a member and its default. */
function describedShape(setting: (typeof settingsDefinition)[number]): Shape {
  const { shape, description, default: usual, inProject } = setting;
  const place = inProject === undefined ? '' : ` ${inProject.reason}`;
  return {
    ...shape,
    schema: {
      description: `${description}${place}`,
      ...shape.schema,
      ...(usual === undefined ? {} : { default: usual }),
    },
  };
}
