package guardrails

// suffixes of figures, as powers of ten.
var suffixes = map[string]int{"k": 3, "m": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9, "mrd": 9, "t": 12}

// magnitudes are the words after a figure, as powers of ten. "Billion" is English;
// billón and Billion of the other languages are 10^12 and told apart by spelling
// alone where they differ.
var magnitudes = map[string]int{
	"thousand": 3, "million": 6, "millions": 6, "billion": 9, "billions": 9, "trillion": 12,
	"mil": 3, "millón": 6, "millones": 6, "billones": 12,
	"tausend": 3, "millionen": 6, "mio": 6, "milliarde": 9, "milliarden": 9, "mrd": 9,
	"milhão": 6, "milhões": 6, "bilhão": 9, "bilhões": 9,
}

// spelledNumbers are the numbers that a prose may spell, by language. Words that
// are articles or pronouns as well (one, un, ein, um) say no figure.
var spelledNumbers = map[string]map[string]string{
	"en": {"half": "0.5", "twice": "2", "double": "2", "triple": "3", "thrice": "3", "dozen": "12", "two": "2", "three": "3", "four": "4",
		"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13",
		"fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20",
		"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100",
		"quarter": "0.25", "third": "0.333333"},
	"es": {"mitad": "0.5", "doble": "2", "triple": "3", "docena": "12", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6",
		"siete": "7", "ocho": "8", "nueve": "9", "diez": "10", "once": "11", "doce": "12", "quince": "15", "veinte": "20", "treinta": "30",
		"cuarenta": "40", "cincuenta": "50", "cien": "100", "ciento": "100"},
	"de": {"hälfte": "0.5", "doppelte": "2", "doppelt": "2", "dreifache": "3", "dutzend": "12", "zwei": "2", "drei": "3", "vier": "4",
		"fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12", "zwanzig": "20",
		"dreißig": "30", "vierzig": "40", "fünfzig": "50", "hundert": "100"},
	"pt": {"metade": "0.5", "dobro": "2", "triplo": "3", "dúzia": "12", "dois": "2", "duas": "2", "três": "3", "quatro": "4", "cinco": "5",
		"seis": "6", "sete": "7", "oito": "8", "nove": "9", "dez": "10", "onze": "11", "doze": "12", "quinze": "15", "vinte": "20",
		"trinta": "30", "quarenta": "40", "cinquenta": "50", "cem": "100", "cento": "100"},
}

// SelectionNotice is what every prompt and answer that carries retrieved rows
// says of them.
func SelectionNotice(lang string) string {
	switch lang {
	case "es":
		return "Estas filas son una selección: las más cercanas que se encontraron, no todas las que hay. No las cuente, sume ni promedie."
	case "de":
		return "Diese Zeilen sind eine Auswahl: die nächsten gefundenen, nicht alle. Nicht zählen, summieren oder mitteln."
	case "pt":
		return "Estas linhas são uma seleção: as mais próximas que foram encontradas, não todas. Não as conte, some nem calcule a média."
	}
	return "These rows are a selection: the nearest that were found, not all there are. Do not count, total or average them."
}
