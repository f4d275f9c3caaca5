import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queries.mlt.MoreLikeThis;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.FSDirectory;

/**
 * Lucene's MoreLikeThis with its defaults, measured: java MoreLikeThisPeer TEXTS TIMED ASKED INDEX SCORES COSTS.
 *
 * <p>TEXTS has a page a line, TIMED and ASKED a number of a page a line. SCORES becomes floats, a row a question of
 * ASKED. Documents are numbered as they come, one segment, so that the number of a document is that of its page.
 */
public class MoreLikeThisPeer {
  static final String FIELD = "text";

  static double processorSeconds() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
  }

  static FieldType vectored() {
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.setStoreTermVectors(true);
    type.freeze();
    return type;
  }

  static void build(List<String> texts, Path folder) throws Exception {
    FieldType type = vectored();
    try (FSDirectory directory = FSDirectory.open(folder);
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new EnglishAnalyzer()))) {
      for (String text : texts) {
        Document document = new Document();
        document.add(new Field(FIELD, text, type));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  static List<Integer> numbers(String file) throws Exception {
    List<Integer> numbers = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(file))) numbers.add(Integer.parseInt(line.trim()));
    return numbers;
  }

  public static void main(String[] given) throws Exception {
    List<String> texts = Files.readAllLines(Path.of(given[0]), StandardCharsets.UTF_8);
    double started = processorSeconds();
    build(texts, Path.of(given[3]));
    double built = processorSeconds() - started;
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Path.of(given[3])));
        DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(given[4]))))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      MoreLikeThis similar = new MoreLikeThis(reader);
      similar.setFieldNames(new String[] {FIELD});
      for (int page : numbers(given[2])) {
        float[] scores = new float[texts.size()];
        for (ScoreDoc hit : searcher.search(similar.like(page), texts.size()).scoreDocs) scores[hit.doc] = hit.score;
        for (float score : scores) out.writeFloat(score);
      }
      // After all of these questions the machine code is as good as it gets.
      List<Integer> timed = numbers(given[1]);
      ThreadMXBean thread = ManagementFactory.getThreadMXBean();
      List<Double> times = new ArrayList<>();
      for (int page : timed) {
        long from = thread.getCurrentThreadCpuTime();
        Query query = similar.like(page);
        searcher.search(query, 11);
        times.add((thread.getCurrentThreadCpuTime() - from) / 1e6);
      }
      times.sort(null);
      try (PrintWriter costs = new PrintWriter(given[5])) {
        costs.printf(Locale.ROOT, "%.3f %.4f %.4f%n", built, times.get(times.size() / 2), times.get((int) (times.size() * 0.99)));
      }
    }
  }
}
