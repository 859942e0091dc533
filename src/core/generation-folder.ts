/** The name of the folder beside skills in which their code is made: whoever writes there writes code of skills. */
export const generationFolder = '.generation';
