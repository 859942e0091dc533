/** The name of the folder beside skills in which their code is made: whoever writes there writes code of skills. */
export const generationFolder = '.generation';

/** What a folder in it is called while code is made there, so that nothing else is ever taken for one. */
export const stagingName = /^staging-[0-9a-f-]{36}$/;
