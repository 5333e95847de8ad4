/** Pattern of a number of a law: Arabic or Chinese. */
export const numeral = '[\\d零〇一二三四五六七八九十百千]{1,12}'
