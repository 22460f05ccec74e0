// SPDX-License-Identifier: Apache-2.0
// Lucene beside the engine: the same passages, the same words, the same questions, one thread.
//
//   LucenePeer index docs.tsv FOLDER
//   LucenePeer search FOLDER queries.tsv ROUNDS SCORES
//
// Prints what text_bench prints; SCORES gets a line for each question and kind: the ten best scores.
import java.io.BufferedReader;
import java.io.File;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.util.CharTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;

public class LucenePeer {
  static boolean inWord(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  /** Runs of ASCII letters and digits in lower case, as text_bench gives them to the engine. */
  static class Words extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      Tokenizer words = CharTokenizer.fromTokenCharPredicate(LucenePeer::inWord);
      return new TokenStreamComponents(words, new LowerCaseFilter(words));
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("index")) index(arguments[1], arguments[2]);
    else search(arguments[1], arguments[2], Integer.parseInt(arguments[3]), arguments[4]);
  }

  static void index(String docs, String folder) throws Exception {
    long began = System.nanoTime(), bytes = 0;
    int count = 0;
    IndexWriterConfig config = new IndexWriterConfig(new Words());
    config.setRAMBufferSizeMB(256);
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    IndexWriter writer = new IndexWriter(new MMapDirectory(Paths.get(folder)), config);
    FieldType type = new FieldType();
    type.setTokenized(true);
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.freeze();
    Field body = new Field("body", "", type);
    StringField source = new StringField("source", "", Field.Store.NO);
    Document document = new Document();
    document.add(body);
    document.add(source);
    try (BufferedReader in = Files.newBufferedReader(Paths.get(docs), StandardCharsets.UTF_8)) {
      for (String line; (line = in.readLine()) != null; count++) {
        String[] parts = line.split("\t", 5);
        bytes += parts[4].length();
        source.setStringValue(parts[1]);
        body.setStringValue(parts[4]);
        writer.addDocument(document);
      }
    }
    writer.commit();
    double seconds = (System.nanoTime() - began) / 1e9;
    writer.forceMerge(1);
    writer.close();
    long size = 0;
    for (File file : new File(folder).listFiles()) size += file.length();
    System.out.printf(Locale.ROOT, "index docs %d docs_s %.0f mb_s %.1f size_mb %.1f%n", count,
        count / seconds, bytes / 1e6 / seconds, size / 1e6);
  }

  static Query query(String[] words, String source, Occur occur) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (String word : words) query.add(new TermQuery(new Term("body", word)), occur);
    if (source == null) return query.build();
    return new BooleanQuery.Builder()
        .add(query.build(), Occur.MUST)
        .add(new TermQuery(new Term("source", source)), Occur.FILTER)
        .build();
  }

  static void search(String folder, String queries, int rounds, String scores) throws Exception {
    IndexSearcher searcher =
        new IndexSearcher(DirectoryReader.open(new MMapDirectory(Paths.get(folder))));
    searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
    searcher.setQueryCache(null);
    List<String[]> words = new ArrayList<>();
    List<String> sources = new ArrayList<>();
    for (String line : Files.readAllLines(Paths.get(queries))) {
      String[] parts = line.split("\t");
      sources.add(parts[1]);
      words.add(parts[2].split(" "));
    }
    try (PrintWriter out = new PrintWriter(scores)) {
      for (String kind :
          new String[] {"or", "and", "or_filter", "and_filter", "or_10k", "or_count"}) {
        int most = kind.equals("or_count") ? Integer.MAX_VALUE : kind.equals("or_10k") ? 10000 : 10;
        double[] rates = new double[rounds], middles = new double[rounds], tails = new double[rounds];
        double[] spent = new double[rounds];
        // Three rounds more for the compiler of the virtual machine.
        for (int round = -3; round < rounds; round++) {
          double[] times = new double[words.size()];
          long began = System.nanoTime();
          long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
          for (int i = 0; i < words.size(); i++) {
            long start = System.nanoTime();
            Query query = query(words.get(i), kind.endsWith("filter") ? sources.get(i) : null,
                kind.startsWith("or") ? Occur.SHOULD : Occur.MUST);
            TopScoreDocCollector best =
                TopScoreDocCollector.create(10, most);
            searcher.search(query, best);
            ScoreDoc[] hits = best.topDocs().scoreDocs;
            times[i] = (System.nanoTime() - start) / 1e3;
            if (round != rounds - 1) continue;
            StringBuilder line = new StringBuilder(kind + "\t" + i);
            for (ScoreDoc hit : hits) line.append(String.format(Locale.ROOT, "\t%.5f", hit.score));
            out.println(line);
          }
          if (round < 0) continue;
          spent[round] = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before)
              / 1e3 / words.size();
          rates[round] = words.size() / ((System.nanoTime() - began) / 1e9);
          Arrays.sort(times);
          middles[round] = times[times.length / 2];
          tails[round] = times[times.length * 99 / 100];
        }
        Arrays.sort(rates);
        Arrays.sort(middles);
        Arrays.sort(tails);
        Arrays.sort(spent);
        System.out.printf(Locale.ROOT, "%s qps %.0f p50_us %.1f p99_us %.1f cpu_us %.1f%n",
            kind, rates[rounds / 2], middles[rounds / 2], tails[rounds / 2], spent[rounds / 2]);
      }
    }
  }
}
