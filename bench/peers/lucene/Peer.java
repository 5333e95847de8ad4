import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.cjk.CJKAnalyzer;
import org.apache.lucene.analysis.cn.smart.SmartChineseAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene's BM25 over words and pairs of characters, by its own analyzers. Arguments: a directory for the
 * index, a file of articles, a file of questions, how many hits, and for each stage the chunks it has.
 *
 * A line of articles is a heading, a tab, the text, a tab, and where the text is cut in two. There are as
 * many chunks as articles; those after them are the head of one article and the tail of another.
 * A question is followed by tabs and weighted words that it is expanded by, each with a space and its weight.
 * Questions that begin with + are timed, with = only answered, with a space asked to get warm. Prints a line
 * for each that is answered: the chunks there are, microseconds, and the numbers of the chunks found.
 */
public class Peer {
  static final Analyzer[] ANALYZERS = {new SmartChineseAnalyzer(), new CJKAnalyzer()};
  static final String[] FIELDS = {"words", "pairs"};
  static final Map<String, String> KNOWN = new HashMap<>();

  public static void main(String[] args) throws IOException {
    List<String[]> articles = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(Path.of(args[1]))) {
      for (String line; (line = lines.readLine()) != null; ) articles.add(line.split("\t", -1));
    }
    List<String> questions = Files.readAllLines(Path.of(args[2]));
    int hits = Integer.parseInt(args[3]);
    // Only neighbours are merged, so that a chunk's number stays what it was.
    IndexWriterConfig config = new IndexWriterConfig().setRAMBufferSizeMB(256);
    config.setMergePolicy(new LogDocMergePolicy()).setMergeScheduler(new SerialMergeScheduler());
    try (IndexWriter writer = new IndexWriter(new MMapDirectory(Path.of(args[0])), config)) {
      int chunks = 0;
      Halves halves = null;
      for (int stage = 4; stage < args.length; stage++) {
        long begun = System.nanoTime();
        int before = chunks;
        for (int until = Integer.parseInt(args[stage]); chunks < until; chunks++) {
          if (chunks < articles.size()) {
            String[] article = articles.get(chunks);
            writer.addDocument(document(tokens(article[0] + "\n" + article[1])));
          } else {
            if (halves == null) halves = new Halves(articles);
            writer.addDocument(document(halves.chunk(chunks)));
          }
        }
        writer.forceMerge(1);
        writer.commit();
        long micros = (System.nanoTime() - begun) / 1000;
        System.out.printf("filled\t%d\t%d\t%d%n", chunks, chunks - before, micros);
        try (DirectoryReader reader = DirectoryReader.open(writer)) {
          ask(new IndexSearcher(reader), questions, hits, chunks);
        }
      }
    }
  }

  static void ask(IndexSearcher searcher, List<String> questions, int hits, int chunks) throws IOException {
    for (String line : questions) {
      String[] parts = line.substring(1).split("\t");
      List<BoostQuery> added = new ArrayList<>();
      for (int part = 1; part < parts.length; part++) {
        String[] word = parts[part].split(" ");
        for (String token : tokens(word[0]).get(0)) {
          added.add(new BoostQuery(new TermQuery(new Term(FIELDS[0], token)), Float.parseFloat(word[1])));
        }
      }
      long begun = System.nanoTime();
      BooleanQuery.Builder query = new BooleanQuery.Builder();
      for (BoostQuery each : added) query.add(each, BooleanClause.Occur.SHOULD);
      List<String[]> tokens = tokens(parts[0]);
      for (int field = 0; field < FIELDS.length; field++) {
        for (String token : tokens.get(field)) {
          query.add(new TermQuery(new Term(FIELDS[field], token)), BooleanClause.Occur.SHOULD);
        }
      }
      ScoreDoc[] found = searcher.search(query.build(), hits).scoreDocs;
      long micros = (System.nanoTime() - begun) / 1000;
      if (line.startsWith(" ")) continue;
      StringBuilder out = new StringBuilder(line.startsWith("+") ? "timed" : "found");
      out.append('\t').append(chunks).append('\t').append(micros).append('\t');
      for (ScoreDoc each : found) out.append(each.doc).append(' ');
      System.out.println(out);
    }
  }

  /** The tokens of a text for each field. */
  static List<String[]> tokens(String text) throws IOException {
    List<String[]> all = new ArrayList<>();
    for (Analyzer analyzer : ANALYZERS) {
      List<String> found = new ArrayList<>();
      try (TokenStream stream = analyzer.tokenStream("text", text)) {
        CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
        stream.reset();
        while (stream.incrementToken()) found.add(KNOWN.computeIfAbsent(term.toString(), (token) -> token));
        stream.end();
      }
      all.add(found.toArray(new String[0]));
    }
    return all;
  }

  static final FieldType TYPE = new FieldType();

  static {
    TYPE.setTokenized(true);
    TYPE.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    TYPE.freeze();
  }

  static Document document(List<String[]> tokens) {
    Document document = new Document();
    for (int field = 0; field < FIELDS.length; field++) {
      document.add(new Field(FIELDS[field], new Tokens(tokens.get(field)), TYPE));
    }
    return document;
  }

  /** Tokens of the two halves of every article, to make further chunks of. */
  static class Halves {
    final List<List<String[]>> heads = new ArrayList<>();
    final List<List<String[]>> tails = new ArrayList<>();

    Halves(List<String[]> articles) throws IOException {
      for (String[] article : articles) {
        int cut = Integer.parseInt(article[2]);
        heads.add(tokens(article[0] + "\n" + article[1].substring(0, cut)));
        tails.add(tokens(article[1].substring(cut)));
      }
    }

    List<String[]> chunk(int number) {
      int size = heads.size();
      int round = number / size;
      List<String[]> head = heads.get(number % size);
      List<String[]> tail = tails.get((int) ((number % size + 7919L * round) % size));
      List<String[]> both = new ArrayList<>();
      for (int field = 0; field < FIELDS.length; field++) {
        String[] a = head.get(field), b = tail.get(field);
        String[] all = new String[a.length + b.length];
        System.arraycopy(a, 0, all, 0, a.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        both.add(all);
      }
      return both;
    }
  }

  static class Tokens extends TokenStream {
    final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    final String[] tokens;
    int next = 0;

    Tokens(String[] tokens) {
      this.tokens = tokens;
    }

    @Override
    public void reset() {
      next = 0;
    }

    @Override
    public boolean incrementToken() {
      if (next == tokens.length) return false;
      clearAttributes();
      term.append(tokens[next++]);
      return true;
    }
  }
}
