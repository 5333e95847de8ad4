import { splitClauses } from '../_shared/clauses.ts'

/** A clause that denies a wish or a state: 不要求解除, 没有押金问题, no money. */
const denied =
  /(?:不|没有?|并未|无意|不再)(?:想|要|要求|主张|请求|需要|打算)|没有?(?:拖|欠|共同财产|押金)|\b(?:no|not|don[’']t|without|never)\b[^.,;]{0,24}\b(?:want|claim|ask|rescind|money|property|compensation|damages|divide)/iu
/** A clause that tells what the other side wants, says or did: 房东说我欠租, he wants custody. */
const reported =
  /(?:对方|他们?|她们?|房东|租客|承租人|出租人|开发商|[卖买][家方]|(?<![我本们])公司|物业|业主|客户|保证人|银行|发包[人方]|承包[人方]|老[公婆]|丈夫|妻子)[^，。；！？]{0,4}(?:说|称|要求|主张|起诉|要我|想要?)|(?:还|又|却)要我|\b(?:seller|buyer|landlord|tenant|employer|company|client|customer|he|she|they)\b[^.,;]{0,20}\b(?:wants?|claims?|says?|demands?|terminated|rescinded)\b/iu

/** The words of the person that can name a claim, without clauses that deny one or belong to the other side. */
export const wishesIn = (aim: string): string =>
  splitClauses(aim)
    .filter((clause) => !denied.test(clause) && !reported.test(clause))
    .join('，')
