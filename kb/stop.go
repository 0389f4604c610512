package kb

import "strings"

// stopWords are words of questions that name nothing in a table (English,
// Spanish, German, Portuguese, French). They are not looked up on their own;
// within a whole cell or phrase they count.
var stopWords = readStopWords(
	`a an the of in on at by for to from with without into over under and or not no is are was were be been being am do does did
	has have had having can could will would shall should may might must what which who whom whose when where why how that this
	these those there their its his her our your my they them he she it we you i me us as than then so if but about also any all
	each every both some such only more most less least many much tell show give list find get please name named called say know
	want need let many s`,
	`el la los las un una unos unas de del al en por para con sin y o u e no es son era fue ser ha han que cual cuales quien quienes
	cuando donde como cuanto cuanta cuantos cuantas este esta estos estas ese esa su sus se lo le les mas muy hay tiene tienen dime
	muestra dame`,
	`der die das den dem des ein eine einer eines einem einen und oder nicht ist sind war waren wird werden hat haben was welche
	welcher welches wer wann wo warum wie viel viele im am zum zur von vom bei mit auf aus nach fur uber zeige gib`,
	`o os as um uma uns umas do da dos das no na nos nas ao em por para com sem e ou nao sao foi ser tem que qual quais quem quando
	onde como quanto quantos quantas mostre diga`,
	`le les du des un une et ou ne pas est sont etait qui que quoi quel quelle quels quelles quand comment combien dans sur avec
	sans pour par ce cette ces montre donne`,
)

func readStopWords(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			m[w] = true
		}
	}
	return m
}
