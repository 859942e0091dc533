import type { SkillFiles, TemplateSource } from '../../core/index.ts';

/** Returns the files of a new table skill. */
export function template(name: string): SkillFiles {
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

/** Returns the files of a new skill for an existing table or view. Does not change the database. */
export async function templateFrom(name: string, from: TemplateSource): Promise<SkillFiles> {
  const { adoptTable } = await import('./schema/adopt-table.ts');
  return adoptTable(name, from);
}
