import { settingsDefinition } from './settings-definition.ts';
import { objectOf, type Shape } from './settings-shape.ts';

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
      return [name, objectOf(Object.fromEntries(members), name === 'limits' ? { names: 'a limit' } : {})];
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
