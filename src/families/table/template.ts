/** Returns the files of a new table skill. */
export function template(name: string): Readonly<Record<string, string>> {
  return {
    'tskill.md': `# ${name} Skill

## Table Purpose

Says what one record stands for and when to look here.

## Fields

### id

Identifies the record.

#### Type

integer

#### Primary Key

### name

What people call it.

#### Type

varchar(100)

#### Required

## Interactive Fields

- name
`,
  };
}
